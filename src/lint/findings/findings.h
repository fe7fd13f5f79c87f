#pragma once

#include "lint/view/finding.h"

/// The check of every kind of finding; finding_list.cpp has their ids, levels and order.
namespace detent::findings {

// Numbers of a pair.
FindingCheck scale_not_constant, scale_not_positive, missing_zero_point, uint8_codes, uint8_zero_point, int16_codes,
    wide_activations, other_codes, fp8_refused, fp8_operator, nonzero_zero_point, per_channel_activation, missing_axis,
    wrong_axis, int32_bias, int8_weight_initializer, fp16_scale, unequal_halves;

// Pairs that are not whole.
FindingCheck q_without_dq, cast_between_halves, operator_inside_pair, weight_without_dq;

// Pairs in a wrong place or form.
FindingCheck qoperators, bias_scale, ignored_bias_scale, pair_between_conv_and_activation, concat_scales_differ,
    copy_scales_differ, coarse_scores, float_island, attention_not_fused, saturates_without_vnni, int4_not_fused,
    blocked_axis, odd_rows, odd_nibbles, layer_left_float;

// Choices.
FindingCheck attention_order, layer_float_on_purpose, layer_float_by_rule, product_left_float;

// Types, for engines that compute in those of the file.
FindingCheck scale_type_mixed, cast_at_pair, overflow_in_half, vanishing_constant, float32_rest;

// The whole file.
FindingCheck opset_too_new;
FindingCheck operator_not_parsed;

// Qualcomm's HTP.

}  // namespace detent::findings
