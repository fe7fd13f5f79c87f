#pragma once

#include <string>
#include <utility>
#include <vector>

#include "detent/base/data_source.h"

namespace detent::test {

/// A source with names alone.
class NamedSamples final : public DataSource {
 public:
  explicit NamedSamples(std::vector<std::string> names) : names_(std::move(names)) {}
  [[nodiscard]] size_t size() const override { return names_.size(); }
  [[nodiscard]] std::string sample_name(size_t i) const override { return names_[i]; }
  [[nodiscard]] Sample read(size_t i) const override { return {i, names_[i], {}}; }

 private:
  std::vector<std::string> names_;
};

/// Returns "stack.npy[0]", "stack.npy[1]" ...
inline std::vector<std::string> numbered(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back("stack.npy[" + std::to_string(i) + "]");
  return names;
}

}  // namespace detent::test
