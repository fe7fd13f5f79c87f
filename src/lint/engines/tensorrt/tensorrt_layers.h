#pragma once

#include <string>

#include "lint/view/pair_view.h"

namespace detent {

/// Returns in words why TensorRT does not run a weighted op in INT8; empty when it does. It needs a pair that TensorRT
/// takes on the data input (or before commuting ops) and on the weight; a 3-D ConvTranspose also needs one behind it,
/// and every layer a kernel.
/// Source  placement rules R1, R6 and R21; the pairs that it takes: src/place/RULES.md, facts.
[[nodiscard]] std::string tensorrt_obstacle(const PairView& view, NodeId layer);

/// Returns why the engine has no INT8 kernel for a weighted op between the file's pairs (R21); empty where it has one,
/// and for engines without that rule, whose kernels are not measured.
[[nodiscard]] std::string kernel_obstacle(const PairView& view, NodeId layer);

/// Returns why TensorRT refuses the numbers of a QuantizeLinear or DequantizeLinear; empty when it takes them.
[[nodiscard]] std::string tensorrt_refusal(const PairView& view, const QdqNode& node);

/// True for a 3-D ConvTranspose with readers and without a pair behind its activation, unless a BatchNormalization
/// there is the reason.
[[nodiscard]] bool lacks_closing_pair(const PairView& view, NodeId layer);

/// Returns the BatchNormalization that alone reads the layer's output; kNoNode when there is none.
[[nodiscard]] MaybeNode batchnorm_behind(const PairView& view, NodeId layer);

}  // namespace detent
