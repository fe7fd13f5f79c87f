#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// The walk of a convolution or pooling window over the spatial axes, as attributes state it.
struct WindowAttributes {
  enum class AutoPad { NotSet, SameUpper, SameLower, Valid };
  std::vector<int64_t> kernel;     ///< kernel_shape; empty when the node leaves it to the weights
  std::vector<int64_t> strides;    ///< empty = all 1
  std::vector<int64_t> dilations;  ///< empty = all 1
  std::vector<int64_t> pads;       ///< begins then ends; empty = all 0
  AutoPad auto_pad = AutoPad::NotSet;
  bool ceil_mode = false;

  /// Reads the attributes. Errors  Unsupported for an unknown auto_pad; InvalidModel for numbers out of range.
  static WindowAttributes parse(const Node& node);
};

/// A window resolved for one input: every vector has one entry per spatial axis.
struct Window {
  std::vector<int64_t> kernel, strides, dilations, pad_begin, pad_end;
  std::vector<int64_t> output;  ///< spatial extents of the result

  [[nodiscard]] bool dilated() const;
  /// Returns samples x channels x output.
  [[nodiscard]] Shape output_shape(int64_t samples, int64_t channels) const;
};

/// True for a number of groups that `channels` can be cut into; one group of no channels is fine. Products with larger
/// numbers would not fit 64 bits.
[[nodiscard]] constexpr bool can_group(int64_t groups, int64_t channels) {
  return groups >= 1 && groups <= std::max<int64_t>(channels, 1) && channels % groups == 0;
}

/// Resolves a sliding window (Conv, pooling).
///
/// input   spatial extents. kernel  extents of the kernel.
/// Without auto_pad: out = floor_or_ceil((in + pads - dilation*(k-1) - 1) / stride) + 1; in ceil mode a last window
/// that would start in the end padding is dropped. SAME: out = ceil(in / stride). VALID: no padding, and always floor.
/// Errors  InvalidModel when attribute lengths do not fit or the window is larger than the padded input, in ceil mode
///         by a stride or more.
/// Source  ONNX operator specification, Conv-11 and MaxPool-12.
[[nodiscard]] Window resolve_window(const WindowAttributes& attributes, const std::vector<int64_t>& input,
                                    const std::vector<int64_t>& kernel);

/// Resolves a transposed window (ConvTranspose).
///
/// out = stride*(in-1) + output_padding + dilation*(k-1) + 1 - pads, or `output_shape`, from which the pads follow.
/// Source  ONNX operator specification, ConvTranspose-11.
[[nodiscard]] Window resolve_transposed_window(const WindowAttributes& attributes, const std::vector<int64_t>& input,
                                               const std::vector<int64_t>& kernel,
                                               const std::vector<int64_t>& output_padding,
                                               const std::vector<int64_t>& output_shape);

}  // namespace detent
