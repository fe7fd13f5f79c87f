#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/files/content_hash.h"
#include "detent/base/tensor.h"

namespace detent {

/// The values that models compute once for a sample in front of their steps, such as the outputs of an encoder. Models
/// whose part in front is the same share them: a search that changes the decoder runs each encoder once. Distinct
/// threads may call the members at the same time.
class HeldOutputs {
 public:
  /// bytes  that are kept together, while as much memory is free; of more, the parts go that were not asked for
  ///        longest.
  explicit HeldOutputs(size_t bytes) : most_(bytes) {}

  /// part     fingerprint_of() the values (model/fingerprint.h)
  /// samples  that were run together, in their order
  [[nodiscard]] std::optional<std::vector<Tensor>> find(const Digest& part, std::span<const size_t> samples);
  void keep(const Digest& part, std::span<const size_t> samples, const std::vector<Tensor>& values);

 private:
  struct Part {
    Digest digest;
    size_t bytes = 0;
    std::map<std::vector<size_t>, std::vector<Tensor>> samples = {};
  };

  /// Returns the part, which is then the first; nullptr: it is not there.
  Part* find_part(const Digest& digest);

  size_t most_;
  std::mutex mutex_;
  size_t bytes_ = 0;
  std::list<Part> parts_;  // the latest first
};

}  // namespace detent
