#pragma once

#include <array>
#include <span>
#include <vector>

#include "detent/base/tensor.h"

namespace detent {

/// ONNX multidirectional broadcasting as a loop nest over memory. The output is channels-last where an operand of its
/// rank is; operands in another order are reordered first.
class Broadcast {
 public:
  static constexpr size_t kMostOperands = 3;
  struct Loop {
    int64_t extent = 1;
    std::array<int64_t, kMostOperands> strides{};  // in elements; 0 repeats
  };

  /// Errors  InvalidData when extents neither agree nor are 1.
  Broadcast(std::span<const Tensor* const> operands, Allocator& allocator);

  [[nodiscard]] const Shape& output() const { return output_; }
  [[nodiscard]] Layout layout() const { return layout_; }
  /// Returns the loops, outermost first, neighbouring ones joined; never empty. An empty output has an extent of 0
  /// somewhere.
  [[nodiscard]] std::span<const Loop> loops() const { return std::span(loops_).first(loop_count_); }
  template <class T>
  [[nodiscard]] const T* data(size_t operand) const {
    return static_cast<const T*>(data_[operand]);
  }
  /// True when the operand's memory may become the output's: same shape and layout.
  [[nodiscard]] bool covers_output(const Tensor& operand) const {
    return operand.shape() == output_ && operand.layout() == layout_;
  }

  /// Calls row(offsets of the operands, offset in the output) for every run of the innermost `inner` loops.
  template <class Row>
  void for_each_row(size_t inner, Row&& row) const {
    if (output_.element_count() == 0) return;
    const size_t outer = loop_count_ - inner;
    int64_t step = 1;
    for (size_t i = outer; i < loop_count_; ++i) step *= loops_[i].extent;
    std::array<int64_t, Shape::kMaxRank> position{};
    std::array<int64_t, kMostOperands> offsets{};
    for (int64_t at = 0;; at += step) {
      row(offsets, at);
      size_t axis = outer;
      for (; axis > 0; --axis) {
        const Loop& loop = loops_[axis - 1];
        const bool carry = ++position[axis - 1] == loop.extent;
        for (size_t k = 0; k < kMostOperands; ++k)
          offsets[k] += carry ? loop.strides[k] * (1 - loop.extent) : loop.strides[k];
        if (!carry) break;
        position[axis - 1] = 0;
      }
      if (axis == 0) return;
    }
  }

 private:
  void find_output_shape(std::span<const Tensor* const> operands);
  void choose_layout(std::span<const Tensor* const> operands);
  void add_operand(size_t index, const Tensor& operand, Allocator& allocator);
  void join_loops();

  Shape output_;
  Layout layout_ = Layout::Plain;
  std::array<Loop, Shape::kMaxRank> loops_{};
  size_t loop_count_ = 0;
  std::array<const void*, kMostOperands> data_{};
  std::vector<Tensor> reordered_;
};

}  // namespace detent
