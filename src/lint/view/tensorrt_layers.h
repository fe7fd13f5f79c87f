#pragma once

#include <string>

#include "lint/view/pair_view.h"

namespace detent {

/// Why TensorRT does not run a weighted op in INT8, in words; empty when it does. It needs a pair that TensorRT takes
/// on the data input (or in front of commuting ops) and on the weight; a 3-D ConvTranspose one behind it too.
/// Source  placement rules R1 and R6; the pairs that it takes: src/place/targets/tensorrt.cpp.
[[nodiscard]] std::string tensorrt_obstacle(const PairView& view, NodeId layer);

/// Why TensorRT refuses the numbers of a QuantizeLinear or DequantizeLinear; empty when it takes them.
[[nodiscard]] std::string tensorrt_refusal(const PairView& view, const QdqNode& node);

/// TensorRT reads the node's UINT8 as INT8: from version 11 on, where the zero points are 0 and the codes are no
/// constant.
/// Source  onnx-tensorrt, QuantDequantLinearHelper, main behind 10.13.
[[nodiscard]] bool is_read_as_int8(const PairView& view, const QdqNode& node);

/// A 3-D ConvTranspose with readers and no pair behind its activation, and no BatchNormalization there that would be
/// the reason.
[[nodiscard]] bool lacks_closing_pair(const PairView& view, NodeId layer);

/// The BatchNormalization that reads the layer's output alone; kNoNode when there is none.
[[nodiscard]] NodeId batchnorm_behind(const PairView& view, NodeId layer);

}  // namespace detent
