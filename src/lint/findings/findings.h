#pragma once

#include "lint/view/finding.h"

/// Every kind of finding, declared here; finding_list.cpp says in what order they are checked.
namespace detent::findings {

// Numbers of a pair.
FindingKind scale_not_constant();
FindingKind scale_not_positive();
FindingKind missing_zero_point();
FindingKind uint8_codes();
FindingKind uint8_zero_point();
FindingKind int16_codes();
FindingKind other_codes();
FindingKind fp8_refused();
FindingKind fp8_operator();
FindingKind nonzero_zero_point();
FindingKind per_channel_activation();
FindingKind missing_axis();
FindingKind wrong_axis();
FindingKind int32_bias();
FindingKind int8_weight_initializer();
FindingKind fp16_scale();
FindingKind unequal_halves();

// Pairs that are not whole.
FindingKind q_without_dq();
FindingKind cast_between_halves();
FindingKind weight_without_dq();

// Where pairs stand.
FindingKind qoperators();
FindingKind clip_before_int8_q();
FindingKind refused_activation();
FindingKind bias_scale();
FindingKind ignored_bias_scale();
FindingKind shared_int8_pair();
FindingKind skip_not_quantized();
FindingKind pair_between_conv_and_add();
FindingKind pair_between_conv_and_activation();
FindingKind batchnorm_behind_deconvolution();
FindingKind concat_scales_differ();
FindingKind copy_scales_differ();
FindingKind deconvolution_3d_not_closed();
FindingKind float_island();
FindingKind saturates_without_vnni();
FindingKind int4_not_fused();
FindingKind blocked_axis();
FindingKind odd_nibbles();
FindingKind layer_left_float();

// Choices.
FindingKind layer_float_on_purpose();
FindingKind layer_float_by_rule();
FindingKind product_left_float();
FindingKind concat_input_from_float();
FindingKind stem_conv_maxpool();
FindingKind depthwise_silu();
FindingKind leaky_relu_not_closed();

// Types, for engines that compute in those of the file.
FindingKind scale_type_mixed();
FindingKind cast_at_pair();
FindingKind overflow_in_half();
FindingKind vanishing_constant();
FindingKind float32_rest();

}  // namespace detent::findings
