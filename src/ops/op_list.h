#pragma once

#include <span>
#include <vector>

#include "ops/operator.h"

namespace detent {

/// Returns all operators, from every family below.
[[nodiscard]] std::span<const OperatorDef> operator_list();

// The families, one source file each. A new one is declared here and listed in op_list.cpp.
using OperatorFamily = std::vector<OperatorDef>();
OperatorFamily control_flow_operators, sequence_operators;  // graphs, lists and optionals (control)
OperatorFamily constant_operators, random_operators;  // values from attributes, a shape or a random stream (generate)
// Elements moved or selected (movement).
OperatorFamily concat_split_operators, pad_operators, permute_operators, scatter_operators, selection_operators,
    shape_operators, slice_gather_operators, tile_expand_operators;
OperatorFamily grid_sample_operators, region_operators, resize_operators;  // reading between elements (sample)
OperatorFamily fourier_operators, ngram_counts_operators,
    signal_window_operators;  // spectra, windows, token counts (signal)
// Element by element (elementwise).
OperatorFamily activation_operators, binary_operators, bit_operators, cast_operators, comparison_operators,
    quantize_linear_operators, unary_operators;
// Over a whole axis (reduce).
OperatorFamily determinant_operators, normalization_operators, reduction_operators, small_norm_operators,
    softmax_operators, top_k_operators;
// Over a sliding neighbourhood (window).
OperatorFamily causal_conv_operators, col2im_operators, convolution_operators, deform_conv_operators, pool_operators;
// Sums of products over an inner axis (product).
OperatorFamily attention_operators, einsum_operators, linear_attention_operators, matmul_operators,
    quantized_product_operators, recurrent_operators;

/// Returns the operator of com.microsoft that Detent runs as it is; others are expanded when a file is read.
[[nodiscard]] const OperatorDef& dynamic_lstm_operator();

/// Returns the operator that gives another file one frame of an output (model/graph/file_boundary.h).
[[nodiscard]] const OperatorDef& frame_boundary_operator();

}  // namespace detent
