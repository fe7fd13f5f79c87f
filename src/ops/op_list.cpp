#include "ops/op_list.h"

#include <vector>

namespace detent {

std::span<const OperatorDef> operator_list() {
  static const std::vector<OperatorDef> all = [] {
    const std::span<const OperatorDef> families[] = {
        activation_operators(),
        batch_norm_operators(),
        cast_operators(),
        comparison_operators(),
        concat_split_operators(),
        constant_operators(),
        control_flow_operators(),
        conv_operators(),
        einsum_operators(),
        elementwise_binary_operators(),
        elementwise_unary_operators(),
        gather_elements_operators(),
        grid_sample_operators(),
        matmul_operators(),
        normalization_operators(),
        pad_operators(),
        pool_operators(),
        quantize_linear_operators(),
        recurrent_operators(),
        reduction_operators(),
        region_operators(),
        resize_operators(),
        shape_operators(),
        slice_gather_operators(),
        softmax_operators(),
        space_depth_operators(),
        tile_expand_operators(),
        transpose_operators(),
    };
    std::vector<OperatorDef> list;
    for (const auto family : families) list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

}  // namespace detent
