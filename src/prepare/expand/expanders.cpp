#include "prepare/expand/expanders.h"

#include <algorithm>

namespace detent::expand {

namespace {

constexpr std::string_view kMs = kMicrosoftDomain;

// Source of all forms: onnxruntime, docs/ContribOperators.md, and the kernels of its CPU provider.
constexpr Expander kExpanders[] = {
    {kMs, "SkipLayerNormalization", expand_skip_layer_norm},
    {kMs, "SkipSimplifiedLayerNormalization", expand_skip_rms_norm},
    {kMs, "EmbedLayerNormalization", expand_embed_layer_norm},
    {"", "SimplifiedLayerNormalization", expand_rms_norm},
    {kMs, "SimplifiedLayerNormalization", expand_rms_norm},
    {"", "LayerNormalization", expand_layer_norm, 17},
    {kMs, "Gelu", expand_gelu},
    {kMs, "BiasGelu", expand_bias_gelu},
    {kMs, "FastGelu", expand_fast_gelu},
    {kMs, "QuickGelu", expand_quick_gelu},
    {kMs, "FusedMatMul", expand_fused_matmul},
    {kMs, "TransposeMatMul", expand_fused_matmul},
    {kMs, "FusedGemm", expand_fused_gemm},
    {kMs, "FusedConv", expand_fused_conv},
    {kMs, "MatMulNBits", expand_matmul_n_bits},
    {kMs, "RotaryEmbedding", expand_rotary_embedding},
    {kMs, "Attention", expand_attention},
    {kMs, "MultiHeadAttention", expand_multi_head_attention},
    {kMs, "GroupQueryAttention", expand_group_query_attention},
    {kMs, "QLinearAdd", expand_qlinear_binary},
    {kMs, "QLinearMul", expand_qlinear_binary},
    {kMs, "QLinearSigmoid", expand_qlinear_unary},
    {kMs, "QLinearLeakyRelu", expand_qlinear_unary},
    {kMs, "QLinearConcat", expand_qlinear_concat},
    {kMs, "QLinearWhere", expand_qlinear_where},
    {kMs, "QLinearConv", expand_qlinear_conv},
    {kMs, "QLinearGlobalAveragePool", expand_qlinear_global_average_pool},
    {kMs, "QLinearAveragePool", expand_qlinear_average_pool},
    {kMs, "QLinearSoftmax", expand_qlinear_softmax},
    {kMs, "NhwcMaxPool", expand_nhwc_max_pool},
    {kMs, "QGemm", expand_qgemm},
    {kMs, "DynamicQuantizeMatMul", expand_dynamic_quantize_matmul},
    {kMs, "MatMulIntegerToFloat", expand_matmul_integer_to_float},
};

}  // namespace

const Expander* find_expander(const Graph& graph, const Node& node) {
  const auto found = std::ranges::find_if(kExpanders, [&](const Expander& one) {
    return one.op_type == node.op_type && one.domain == node.domain && graph.opset() < one.below_opset;
  });
  return found == std::end(kExpanders) ? nullptr : found;
}

}  // namespace detent::expand
