#include "ops/op_list.h"

#include <vector>

namespace detent {

namespace {

using Family = std::span<const OperatorDef> (*)();

constexpr Family kFamilies[] = {
    // Graphs, lists and optionals (control).
    control_flow_operators,
    sequence_operators,
    // Values from attributes, a shape or a random stream (generate).
    constant_operators,
    random_operators,
    // Elements moved or selected (movement).
    concat_split_operators,
    pad_operators,
    reverse_sequence_operators,
    scatter_operators,
    shape_operators,
    slice_gather_operators,
    space_depth_operators,
    tile_expand_operators,
    transpose_operators,
    trilu_operators,
    selection_operators,
    // Reading between elements (sample).
    grid_sample_operators,
    region_operators,
    resize_operators,
    // Spectra, windows and counts of tokens (signal).
    fourier_operators,
    ngram_counts_operators,
    signal_window_operators,
    // Element by element (elementwise).
    activation_operators,
    binary_operators,
    bit_operators,
    cast_operators,
    comparison_operators,
    quantize_linear_operators,
    unary_operators,
    // Over a whole axis (reduce).
    batch_norm_operators,
    classification_loss_operators,
    determinant_operators,
    small_norm_operators,
    normalization_operators,
    reduction_operators,
    softmax_operators,
    top_k_operators,
    // Over a sliding neighbourhood (window).
    causal_conv_operators,
    col2im_operators,
    convolution_operators,
    deform_conv_operators,
    pool_operators,
    // Sums of products over an inner axis (product).
    attention_operators,
    einsum_operators,
    linear_attention_operators,
    matmul_operators,
    quantized_product_operators,
    recurrent_operators,
    rotary_embedding_operators,
};

}  // namespace

std::span<const OperatorDef> operator_list() {
  static const std::vector<OperatorDef> all = [] {
    std::vector<OperatorDef> list;
    for (const Family family : kFamilies) {
      const std::span<const OperatorDef> operators = family();
      list.insert(list.end(), operators.begin(), operators.end());
    }
    return list;
  }();
  return all;
}

}  // namespace detent
