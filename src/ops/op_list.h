#pragma once

#include <span>

#include "ops/operator.h"

namespace detent {

/// One function per family file. A new family adds a line here and a line in op_list.cpp.
[[nodiscard]] std::span<const OperatorDef> activation_operators();
[[nodiscard]] std::span<const OperatorDef> batch_norm_operators();
[[nodiscard]] std::span<const OperatorDef> cast_operators();
[[nodiscard]] std::span<const OperatorDef> comparison_operators();
[[nodiscard]] std::span<const OperatorDef> concat_split_operators();
[[nodiscard]] std::span<const OperatorDef> constant_operators();
[[nodiscard]] std::span<const OperatorDef> control_flow_operators();
[[nodiscard]] std::span<const OperatorDef> conv_operators();
[[nodiscard]] std::span<const OperatorDef> einsum_operators();
[[nodiscard]] std::span<const OperatorDef> elementwise_binary_operators();
[[nodiscard]] std::span<const OperatorDef> elementwise_unary_operators();
[[nodiscard]] std::span<const OperatorDef> gather_elements_operators();
[[nodiscard]] std::span<const OperatorDef> grid_sample_operators();
[[nodiscard]] std::span<const OperatorDef> matmul_operators();
[[nodiscard]] std::span<const OperatorDef> normalization_operators();
[[nodiscard]] std::span<const OperatorDef> pad_operators();
[[nodiscard]] std::span<const OperatorDef> pool_operators();
[[nodiscard]] std::span<const OperatorDef> quantize_linear_operators();
[[nodiscard]] std::span<const OperatorDef> recurrent_operators();
[[nodiscard]] std::span<const OperatorDef> reduction_operators();
[[nodiscard]] std::span<const OperatorDef> region_operators();
[[nodiscard]] std::span<const OperatorDef> resize_operators();
[[nodiscard]] std::span<const OperatorDef> shape_operators();
[[nodiscard]] std::span<const OperatorDef> slice_gather_operators();
[[nodiscard]] std::span<const OperatorDef> softmax_operators();
[[nodiscard]] std::span<const OperatorDef> space_depth_operators();
[[nodiscard]] std::span<const OperatorDef> tile_expand_operators();
[[nodiscard]] std::span<const OperatorDef> transpose_operators();

}  // namespace detent
