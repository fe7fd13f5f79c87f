#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "prepare/expand/body.h"

namespace detent::expand {

/// An operator and the function that writes its nodes.
struct Expander {
  std::string_view domain, op_type;
  /// Adds nodes that compute the outputs of body.node().
  /// Errors  refuses forms that have no expansion.
  void (*expand)(Body& body);
  /// The operator is expanded below this opset of ONNX's domain: LayerNormalization, which ONNX Runtime's optimizer
  /// writes at opsets that do not have it.
  int64_t below_opset = std::numeric_limits<int64_t>::max();
};

/// Returns the expander of a node of a graph; nullptr when there is none.
[[nodiscard]] const Expander* find_expander(const Graph& graph, const Node& node);

/// An operator of ONNX's own domain that older opsets lack, or mean otherwise, and the function that writes it with
/// theirs.
struct NewerOperator {
  std::string_view op_type;
  int64_t since = 0;  ///< the first opset with it, or with this meaning
  void (*expand)(Body& body) = nullptr;
};

/// Returns them all; each is written with operators of opset 17.
[[nodiscard]] std::span<const NewerOperator> newer_operators();

// The expanders, one source file for each family.
using Expand = void(Body&);
// norms.cpp
Expand expand_layer_norm, expand_rms_norm, expand_skip_layer_norm, expand_skip_rms_norm, expand_embed_layer_norm;
// gelu.cpp
Expand expand_gelu, expand_bias_gelu, expand_fast_gelu, expand_quick_gelu;
// products.cpp
Expand expand_fused_matmul, expand_fused_gemm, expand_fused_conv;
// block_weights.cpp
Expand expand_matmul_n_bits;
// rotary.cpp
Expand expand_rotary_embedding;
// attention.cpp, multi_head_attention.cpp, group_query_attention.cpp
Expand expand_attention, expand_multi_head_attention, expand_group_query_attention;
// integer_elementwise.cpp
Expand expand_qlinear_binary, expand_qlinear_unary, expand_qlinear_concat, expand_qlinear_where;
// integer_layers.cpp
Expand expand_qlinear_conv, expand_qlinear_global_average_pool, expand_qlinear_average_pool, expand_qlinear_softmax,
    expand_nhwc_max_pool, expand_qgemm, expand_dynamic_quantize_matmul, expand_matmul_integer_to_float;

}  // namespace detent::expand
