#pragma once

#include "lint/view/finding.h"

/// The check of every kind of finding; finding_list.cpp has their ids, levels and order.
namespace detent::findings {

// Numbers of a pair.
FindingCheck scale_not_constant, scale_not_positive, missing_zero_point, uint8_codes, uint8_zero_point, int16_codes,
    wide_activations, other_codes, fp8_refused, fp8_operator, nonzero_zero_point, per_channel_activation, missing_axis,
    wrong_axis, int32_bias, int8_weight_initializer, fp16_scale, unequal_halves;

// Pairs that are not whole.
FindingCheck q_without_dq, cast_between_halves, weight_without_dq;

// Pairs in a wrong place or form.
FindingCheck qoperators, clip_before_int8_q, refused_activation, bias_scale, ignored_bias_scale, shared_int8_pair,
    skip_not_quantized, pair_between_conv_and_add, pair_between_conv_and_activation, batchnorm_behind_deconvolution,
    concat_scales_differ, copy_scales_differ, coarse_scores, deconvolution_3d_not_closed, float_island,
    attention_not_fused, saturates_without_vnni, pairs_for_dla, int4_not_fused, blocked_axis, odd_nibbles,
    layer_left_float;

// Choices.
FindingCheck attention_order, layer_float_on_purpose, layer_float_by_rule, product_left_float, concat_input_from_float,
    stem_conv_maxpool, depthwise_silu, leaky_relu_not_closed;

// Types, for engines that compute in those of the file.
FindingCheck scale_type_mixed, cast_at_pair, overflow_in_half, vanishing_constant, float32_rest;

// The whole file.
FindingCheck opset_too_new;

// Qualcomm's HTP.
FindingCheck htp_float_unit, htp_mixed_types, htp_per_channel, htp_open_shape, htp_control_flow;

}  // namespace detent::findings
