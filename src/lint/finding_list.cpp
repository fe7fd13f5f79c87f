#include "lint/finding_list.h"

#include <vector>

#include "lint/findings/findings.h"

namespace detent {

namespace {

constexpr FindingKind (*kFindings[])() = {
    findings::qoperators,
    findings::scale_not_constant,
    findings::scale_not_positive,
    findings::missing_zero_point,
    findings::uint8_codes,
    findings::uint8_zero_point,
    findings::int16_codes,
    findings::other_codes,
    findings::fp8_refused,
    findings::fp8_operator,
    findings::nonzero_zero_point,
    findings::per_channel_activation,
    findings::missing_axis,
    findings::wrong_axis,
    findings::int32_bias,
    findings::int8_weight_initializer,
    findings::fp16_scale,
    findings::unequal_halves,
    findings::q_without_dq,
    findings::cast_between_halves,
    findings::weight_without_dq,
    findings::refused_activation,
    findings::ignored_bias_scale,
    findings::bias_scale,
    findings::clip_before_int8_q,
    findings::shared_int8_pair,
    findings::deconvolution_3d_not_closed,
    findings::batchnorm_behind_deconvolution,
    findings::skip_not_quantized,
    findings::pair_between_conv_and_add,
    findings::pair_between_conv_and_activation,
    findings::concat_scales_differ,
    findings::copy_scales_differ,
    findings::float_island,
    findings::saturates_without_vnni,
    findings::int4_not_fused,
    findings::blocked_axis,
    findings::odd_nibbles,
    findings::layer_left_float,
    findings::layer_float_on_purpose,
    findings::layer_float_by_rule,
    findings::product_left_float,
    findings::concat_input_from_float,
    findings::stem_conv_maxpool,
    findings::depthwise_silu,
    findings::leaky_relu_not_closed,
    findings::scale_type_mixed,
    findings::cast_at_pair,
    findings::overflow_in_half,
    findings::vanishing_constant,
    findings::float32_rest,
};

}  // namespace

std::span<const FindingKind> finding_list() {
  static const std::vector<FindingKind> kinds = [] {
    std::vector<FindingKind> made;
    for (const auto make : kFindings) made.push_back(make());
    return made;
  }();
  return kinds;
}

}  // namespace detent
