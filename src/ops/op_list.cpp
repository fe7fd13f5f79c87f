#include "ops/op_list.h"

namespace detent {

namespace {

template <class... Families>
std::vector<OperatorDef> all_of(Families*... families) {
  std::vector<OperatorDef> all;
  const auto add = [&](const std::vector<OperatorDef>& family) { all.insert(all.end(), family.begin(), family.end()); };
  (add(families()), ...);
  return all;
}

}  // namespace

std::span<const OperatorDef> operator_list() {
  static const std::vector<OperatorDef> all =
      all_of(control_flow_operators, sequence_operators, constant_operators, random_operators, concat_split_operators,
             pad_operators, permute_operators, scatter_operators, selection_operators, shape_operators,
             slice_gather_operators, tile_expand_operators, grid_sample_operators, region_operators, resize_operators,
             fourier_operators, ngram_counts_operators, signal_window_operators, activation_operators, binary_operators,
             bit_operators, cast_operators, comparison_operators, quantize_linear_operators, unary_operators,
             determinant_operators, normalization_operators, reduction_operators, small_norm_operators,
             softmax_operators, top_k_operators, causal_conv_operators, col2im_operators, convolution_operators,
             deform_conv_operators, pool_operators, attention_operators, einsum_operators, linear_attention_operators,
             matmul_operators, quantized_product_operators, recurrent_operators);
  return all;
}

}  // namespace detent
