#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detections/graph_layout.h"
#include "detent/base/tensor.h"

namespace detent {

/// Errors of the parts of outputs that are joined from numbers of different meaning. One SQNR over boxes in pixels and
/// scores, or over numbers far from 0, hides what is lost: each part has its own, and each index of its axis is
/// compared with its mean in FP32.
class BlockErrors {
 public:
  explicit BlockErrors(std::vector<OutputBlock> blocks = {}) : blocks_(std::move(blocks)), sums_(blocks_.size()) {}

  /// Adds samples of one output. Outputs that are not float, or not of a shape with the blocks' axes, do not count.
  void add(const std::string& output, const Tensor& expected, const Tensor& found);

  struct Worst {
    std::string name;  ///< "'output0', 0 to 3 of axis 1"
    double sqnr_db = 0;
  };
  /// Returns the block with the lowest SQNR; nullopt without one that varies.
  [[nodiscard]] std::optional<Worst> worst() const;

 private:
  struct Channel {
    double sum = 0, squares = 0, count = 0;
  };
  struct Sums {
    std::vector<Channel> channels;
    double noise = 0;
  };
  std::vector<OutputBlock> blocks_;
  std::vector<Sums> sums_;
};

}  // namespace detent
