#include "ops/op_list.h"

#include <vector>

namespace detent {

std::span<const OperatorDef> operator_list() {
  static const std::vector<OperatorDef> all = [] {
    const std::span<const OperatorDef> families[] = {
        activation_operators(),
        affine_grid_operators(),
        arg_extreme_operators(),
        attention_operators(),
        batch_norm_operators(),
        bit_cast_operators(),
        bitwise_operators(),
        cast_operators(),
        causal_conv_operators(),
        center_crop_pad_operators(),
        classification_loss_operators(),
        col2im_operators(),
        comparison_operators(),
        compress_operators(),
        concat_split_operators(),
        constant_operators(),
        control_flow_operators(),
        conv_operators(),
        cumulative_operators(),
        deform_conv_operators(),
        determinant_operators(),
        dropout_operators(),
        dynamic_quantize_operators(),
        einsum_operators(),
        elementwise_binary_operators(),
        elementwise_unary_operators(),
        eye_like_operators(),
        float_class_operators(),
        fourier_operators(),
        gather_elements_operators(),
        hardmax_operators(),
        linear_attention_operators(),
        lp_norm_operators(),
        lp_pool_operators(),
        lrn_operators(),
        grid_sample_operators(),
        matmul_operators(),
        max_roi_pool_operators(),
        max_unpool_operators(),
        mean_norm_operators(),
        mel_weights_operators(),
        mod_operators(),
        ngram_counts_operators(),
        non_zero_operators(),
        normalization_operators(),
        one_hot_operators(),
        optional_operators(),
        pad_operators(),
        pool_operators(),
        quantize_linear_operators(),
        quantized_product_operators(),
        random_operators(),
        recurrent_operators(),
        reduction_operators(),
        region_operators(),
        resize_operators(),
        reverse_sequence_operators(),
        rms_norm_operators(),
        rotary_embedding_operators(),
        scatter_operators(),
        sequence_operators(),
        shape_operators(),
        shrink_operators(),
        signal_window_operators(),
        slice_gather_operators(),
        softmax_operators(),
        space_depth_operators(),
        swiglu_operators(),
        tile_expand_operators(),
        top_k_operators(),
        transpose_operators(),
        trilu_operators(),
        unique_operators(),
    };
    std::vector<OperatorDef> list;
    for (const auto family : families) list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

}  // namespace detent
