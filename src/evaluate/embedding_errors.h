#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detent/base/tensor.h"
#include "outputs/output_reading.h"

namespace detent {

/// Errors of outputs that hold vectors: what a reader does with an embedding is to compare it with others.
class EmbeddingErrors {
 public:
  /// Adds samples of one output, if it may hold vectors. Of several vectors a sample (tokens) the mean stands for it.
  /// samples  on axis 0
  /// counted  by element: 0 is padding. Empty: all count.
  void add(const OutputReading& reading, const Tensor& expected, const Tensor& found, size_t samples,
           std::span<const uint8_t> counted = {});

  struct Error {
    double cosine = 1;                ///< mean cosine of a vector with FP32's
    size_t samples = 0, changed = 0;  ///< samples whose nearest neighbour was looked for, and is another one
  };
  /// Returns nullopt for an output without vectors. The nearest neighbour has the largest cosine among the samples. It
  /// stays if FP32 holds the new one for as near: within a tenth of the distance of the nearest to the average. Fewer
  /// than kFewestNeighbours samples have none.
  [[nodiscard]] std::optional<Error> error_of(const std::string& output) const;

  static constexpr size_t kFewestNeighbours = 4;

 private:
  using Vector = std::vector<float>;
  struct Output {
    double cosines = 0;
    size_t vectors = 0;
    std::vector<Vector> expected = {}, found = {};  // of unit length, by sample
  };
  std::map<std::string, Output> outputs_;
};

}  // namespace detent
