#pragma once

#include <span>

#include "ops/operator.h"

namespace detent {

/// All operators, from every family below.
[[nodiscard]] std::span<const OperatorDef> operator_list();

// The families, one source file each. A new one is declared here and listed in op_list.cpp.

// Graphs, lists and optionals (control).
[[nodiscard]] std::span<const OperatorDef> control_flow_operators();
[[nodiscard]] std::span<const OperatorDef> sequence_operators();

// Values from attributes, a shape or a random stream (generate).
[[nodiscard]] std::span<const OperatorDef> constant_operators();
[[nodiscard]] std::span<const OperatorDef> random_operators();

// Elements moved or selected (movement).
[[nodiscard]] std::span<const OperatorDef> concat_split_operators();
[[nodiscard]] std::span<const OperatorDef> pad_operators();
[[nodiscard]] std::span<const OperatorDef> reverse_sequence_operators();
[[nodiscard]] std::span<const OperatorDef> scatter_operators();
[[nodiscard]] std::span<const OperatorDef> shape_operators();
[[nodiscard]] std::span<const OperatorDef> slice_gather_operators();
[[nodiscard]] std::span<const OperatorDef> space_depth_operators();
[[nodiscard]] std::span<const OperatorDef> tile_expand_operators();
[[nodiscard]] std::span<const OperatorDef> transpose_operators();
[[nodiscard]] std::span<const OperatorDef> trilu_operators();
[[nodiscard]] std::span<const OperatorDef> selection_operators();

// Reading between elements (sample).
[[nodiscard]] std::span<const OperatorDef> grid_sample_operators();
[[nodiscard]] std::span<const OperatorDef> region_operators();
[[nodiscard]] std::span<const OperatorDef> resize_operators();

// Spectra, windows and counts of tokens (signal).
[[nodiscard]] std::span<const OperatorDef> fourier_operators();
[[nodiscard]] std::span<const OperatorDef> ngram_counts_operators();
[[nodiscard]] std::span<const OperatorDef> signal_window_operators();

// Element by element (elementwise).
[[nodiscard]] std::span<const OperatorDef> activation_operators();
[[nodiscard]] std::span<const OperatorDef> binary_operators();
[[nodiscard]] std::span<const OperatorDef> bit_operators();
[[nodiscard]] std::span<const OperatorDef> cast_operators();
[[nodiscard]] std::span<const OperatorDef> comparison_operators();
[[nodiscard]] std::span<const OperatorDef> quantize_linear_operators();
[[nodiscard]] std::span<const OperatorDef> unary_operators();

// Over a whole axis (reduce).
[[nodiscard]] std::span<const OperatorDef> batch_norm_operators();
[[nodiscard]] std::span<const OperatorDef> classification_loss_operators();
[[nodiscard]] std::span<const OperatorDef> determinant_operators();
[[nodiscard]] std::span<const OperatorDef> small_norm_operators();
[[nodiscard]] std::span<const OperatorDef> normalization_operators();
[[nodiscard]] std::span<const OperatorDef> reduction_operators();
[[nodiscard]] std::span<const OperatorDef> softmax_operators();
[[nodiscard]] std::span<const OperatorDef> top_k_operators();

// Over a sliding neighbourhood (window).
[[nodiscard]] std::span<const OperatorDef> causal_conv_operators();
[[nodiscard]] std::span<const OperatorDef> col2im_operators();
[[nodiscard]] std::span<const OperatorDef> convolution_operators();
[[nodiscard]] std::span<const OperatorDef> deform_conv_operators();
[[nodiscard]] std::span<const OperatorDef> pool_operators();

// Sums of products over an inner axis (product).
[[nodiscard]] std::span<const OperatorDef> attention_operators();
[[nodiscard]] std::span<const OperatorDef> einsum_operators();
[[nodiscard]] std::span<const OperatorDef> linear_attention_operators();
[[nodiscard]] std::span<const OperatorDef> matmul_operators();
[[nodiscard]] std::span<const OperatorDef> quantized_product_operators();
[[nodiscard]] std::span<const OperatorDef> recurrent_operators();
[[nodiscard]] std::span<const OperatorDef> rotary_embedding_operators();

}  // namespace detent
