#include "lint/finding_list.h"

#include "lint/engines/dla/findings.h"
#include "lint/engines/onnxruntime/findings.h"
#include "lint/engines/openvino/findings.h"
#include "lint/engines/qnn/findings.h"
#include "lint/engines/rknn/findings.h"
#include "lint/engines/tensorrt/findings.h"
#include "lint/engines/webgpu/findings.h"
#include "lint/findings/findings.h"

namespace detent {

namespace {

constexpr FindingReach kEvery = FindingReach::EveryEngine, kOwn = FindingReach::Some;

constexpr FindingScope kPairs = FindingScope::Pairs;

// id, reach, summary, check, scope, condition; the levels are in lint/engines/NAME
constexpr FindingKind kFindings[] = {
    {"integer-operators", kOwn, "QLinear... and ...Integer operators", findings::qoperators},
    {"scale-not-constant", kEvery, "a scale is computed at run time", findings::scale_not_constant},
    {"scale-not-positive", kEvery, "a scale is 0, negative, infinite or NaN", findings::scale_not_positive},
    {"missing-zero-point", kOwn, "a pair without a zero point", findings::missing_zero_point},
    {"uint8-codes", kOwn, "UINT8 where TensorRT takes INT8", findings::uint8_codes},
    {"uint8-zero-point", kOwn, "a UINT8 zero point, read as INT8", findings::uint8_zero_point,
     FindingScope::TypedPairs},
    {"int16-codes", kOwn, "codes of 16 bits", findings::int16_codes, FindingScope::TypedPairs},
    {"codes-not-8-bit", kEvery, "codes of 4 or 16 bits, or floats other than float8e4m3fn", findings::other_codes},
    {"activations-of-16-bits", kOwn, "pairs of 16 bits, between which layers run in float", findings::wide_activations},
    {"fp8-refused-by-engine", kEvery, "FP8 pairs that the engine or the opset does not take", findings::fp8_refused},
    {"fp8-on-float-operator", kEvery, "an FP8 pair at an operator that no engine runs in FP8", findings::fp8_operator},
    {"nonzero-zero-point", kOwn, "an INT8 zero point that is not 0", findings::nonzero_zero_point},
    {"per-channel-activation", kOwn, "an activation with a scale for each channel", findings::per_channel_activation},
    {"missing-axis", kEvery, "scales per channel without an axis attribute", findings::missing_axis},
    {"wrong-axis", kEvery, "weight scales along another axis than the operator's output channels",
     findings::wrong_axis},
    {"int32-bias", kOwn, "an INT32 bias with DequantizeLinear", findings::int32_bias},
    {"int8-weight-initializer", kOwn, "an INT8 weight for TensorRT before 10", findings::int8_weight_initializer},
    {"fp16-scale-below-opset-19", kEvery, "an FP16 scale below opset 19", findings::fp16_scale},
    {"q-and-dq-differ", kEvery, "QuantizeLinear and DequantizeLinear of a pair have different scales or zero points",
     findings::unequal_halves},
    {"q-without-dq", kEvery, "a QuantizeLinear without its DequantizeLinear", findings::q_without_dq},
    {"cast-between-q-and-dq", kEvery, "a Cast of the codes to another type stands inside a pair",
     findings::cast_between_halves},
    {"operator-between-q-and-dq", kEvery, "a Clip or another operator on codes stands inside a pair",
     findings::operator_inside_pair},
    {"weight-without-dq", kEvery, "a weight without DequantizeLinear although the data has one",
     findings::weight_without_dq},
    {"refused-activation", kOwn, "a Relu or Clip that ONNX Runtime absorbs partly, and refuses the model",
     findings::refused_activation},
    {"scale-not-scalar", kOwn, "a scale of shape [1] at an operator whose integer kernel takes scalars",
     findings::scale_not_scalar},
    {"joined-pairs", kOwn, "two pairs in a row that ONNX Runtime joins, and refuses the model", findings::joined_pairs},
    {"ignored-bias-scale", kOwn, "a bias scale of a product that is not input scale * weight scale",
     findings::ignored_bias_scale},
    {"bias-scale", kEvery, "a bias scale that is not input scale * weight scale", findings::bias_scale},
    {"clip-before-int8-q", kOwn, "a Clip in front of an INT8 pair that reaches below it", findings::clip_before_int8_q},
    {"copied-int8-pair", kOwn, "an INT8 pair that ONNX Runtime 1.30 to 1.32 copies with another type, from opset 21 on",
     findings::copied_int8_pair},
    {"shared-int8-pair", kOwn, "an INT8 pair with several readers", findings::shared_int8_pair},
    {"deconvolution-3d-not-closed", kOwn, "a 3-D ConvTranspose without a pair behind it",
     findings::deconvolution_3d_not_closed, kPairs, &Target::int8_deconvolutions},
    {"batchnorm-behind-deconvolution", kOwn, "a BatchNormalization was left behind a ConvTranspose",
     findings::batchnorm_behind_deconvolution, kPairs, &Target::int8_deconvolutions},
    {"skip-not-quantized", kOwn, "the skip of a residual Add is float", findings::skip_not_quantized},
    {"pair-between-conv-and-add", kOwn, "a pair stands between a convolution and its residual Add",
     findings::pair_between_conv_and_add},
    {"pair-between-conv-and-activation", kEvery, "a pair stands between a weighted op and its activation",
     findings::pair_between_conv_and_activation},
    {"concat-scales-differ", kEvery, "pairs around a Concat with different scales", findings::concat_scales_differ,
     kPairs, &Target::concat_shares_scale},
    {"coarse-scores", kEvery, "scores that share a coarse scale with boxes or other larger numbers",
     findings::coarse_scores},
    {"copy-scales-differ", kEvery, "pairs around MaxPool, Reshape ... with different scales",
     findings::copy_scales_differ},
    {"float-island", kEvery, "an op in float between INT8 layers", findings::float_island},
    {"attention-not-fused", kOwn, "attention with pairs that TensorRT does not run as one kernel",
     findings::attention_not_fused},
    {"saturates-without-vnni", kEvery, "weights whose products saturate on x86 CPUs without VNNI",
     findings::saturates_without_vnni, kPairs, &Target::saturates_without_vnni},
    {"quantized-on-cpu", kOwn, "a QuantizeLinear for WebGPU, which has no kernel for it", findings::quantized_on_cpu},
    {"pairs-for-dla", kOwn, "pairs in a file for DLA, which takes a calibration cache", findings::pairs_for_dla},
    {"int4-not-fused", kOwn, "a weight in blocks or of 4 bits that no kernel reads", findings::int4_not_fused},
    {"blocked-axis", kOwn, "blocks along an axis, or of a size, that TensorRT or OpenVINO does not take",
     findings::blocked_axis},
    {"odd-rows", kOwn, "4-bit codes in an odd number of rows, which OpenVINO reads wrong", findings::odd_rows},
    {"odd-nibbles", kOwn, "an odd number of 4-bit codes", findings::odd_nibbles},
    {"no-int8-kernel", kOwn, "a layer with pairs for which TensorRT has no INT8 kernel", findings::no_int8_kernel},
    {"layer-left-float", kEvery, "a weighted layer runs in float although no rule requires it",
     findings::layer_left_float},
    {"layer-float-on-purpose", kEvery, "a weighted layer runs in float on purpose, according to the file's metadata",
     findings::layer_float_on_purpose},
    {"layer-float-by-rule", kEvery, "a weighted layer runs in float because a rule requires it",
     findings::layer_float_by_rule},
    {"attention-order", kOwn, "scale or Transpose of attention where TensorRT does not want it",
     findings::attention_order},
    {"product-left-float", kEvery, "a MatMul of two activations runs in float", findings::product_left_float},
    {"concat-input-from-float", kOwn, "a quantized Concat reads the output of a float layer",
     findings::concat_input_from_float},
    {"leaky-relu-not-closed", kOwn, "a LeakyRelu without a pair behind it", findings::leaky_relu_not_closed},
    {"scale-type-mixed", kOwn, "QuantizeLinear reads a value of one type with a scale of another",
     findings::scale_type_mixed, FindingScope::Types},
    {"cast-between-pair-and-kernel", kOwn, "a Cast stands between a pair and the kernel that writes or reads it",
     findings::cast_at_pair, FindingScope::Types},
    {"overflow-in-half", kOwn, "16-bit floats that are Inf or NaN, or with --data reach beyond half of the range",
     findings::overflow_in_half, FindingScope::Types},
    {"vanishing-constant", kOwn,
     "a constant in 16 bits that became 0 where it guards a division, or a table of such numbers",
     findings::vanishing_constant, FindingScope::Types},
    {"float32-rest", kOwn, "nodes compute in FP32 in a model with INT8 or 16-bit floats", findings::float32_rest,
     FindingScope::Types},
    {"opset-too-new", kOwn, "an opset that the engine's frontend does not know", findings::opset_too_new},
    {"operator-not-parsed", kOwn, "an operator that the version's parser does not know", findings::operator_not_parsed},
    {"computed-otherwise", kOwn, "pairs between which OpenVINO computes other numbers, or which it does not compile",
     findings::computed_otherwise},
    {"open-time-axis", kOwn, "an INT8 Conv over an open axis, which OpenVINO computes wrongly on some CPUs",
     findings::open_time_axis},
    {"htp-control-flow", kOwn, "control flow, which HTP does not run", findings::htp_control_flow},
    {"htp-open-shape", kOwn, "a graph input with an open extent", findings::htp_open_shape},
    {"htp-float-unit", kOwn, "a node without pairs all around, which HTP does not run", findings::htp_float_unit},
    {"htp-mixed-types", kOwn, "a node that reads and writes codes of different types", findings::htp_mixed_types},
    {"htp-per-channel", kOwn, "a scale for each channel where HTP takes one", findings::htp_per_channel},
    {"rknn-not-built", kOwn, "a node that rknn-toolkit2 does not build", findings::rknn_not_built},
    {"rknn-open-shape", kOwn, "a graph input with an open extent", findings::rknn_open_shape},
    {"htp-no-kernel", kOwn, "a node for which HTP has no kernel, whatever its pairs are", findings::htp_no_kernel},
};

}  // namespace

std::span<const FindingKind> finding_list() { return kFindings; }

}  // namespace detent
