#include "lint/finding_list.h"

#include "lint/engines/dla/findings.h"
#include "lint/engines/onnxruntime/findings.h"
#include "lint/engines/openvino/findings.h"
#include "lint/engines/qnn/findings.h"
#include "lint/engines/tensorrt/findings.h"
#include "lint/findings/findings.h"

namespace detent {

namespace {

constexpr FindingReach kEvery = FindingReach::EveryEngine, kOwn = FindingReach::Some;

// Sources of more than one finding.
constexpr std::string_view kGuide =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html";
constexpr std::string_view kGuideAndTried =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html; "
    "tried in ONNX Runtime 1.30";
constexpr std::string_view kTried = "tried in ONNX Runtime 1.30, CPU";
constexpr std::string_view kRules = "the placement rules of the target";
constexpr std::string_view kParser = "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp, QuantizeLinear";
constexpr std::string_view kNewParser =
    "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp, QuantDequantLinearHelper, main after 10.13";
constexpr std::string_view kIssue3412 = "github.com/NVIDIA/TensorRT/issues/3412";

constexpr std::string_view kFusedAttention =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/transformers-fused-attention.html; "
    "github.com/NVIDIA/TensorRT/issues/3714; github.com/NVIDIA/Model-Optimizer/pull/1289";

constexpr FindingScope kPairs = FindingScope::Pairs;
constexpr std::string_view kUnits =
    "github.com/microsoft/onnxruntime, core/optimizer/qdq_transformer/selectors_actions/shared/utils.cc; November 2026";
constexpr std::string_view kQnn = "onnxruntime.ai/docs/execution-providers/QNN-ExecutionProvider.html; November 2026";

// id, reach, summary, source, check, scope, condition; the levels are in lint/engines/NAME
constexpr FindingKind kFindings[] = {
    {"integer-operators", kOwn, "QLinear... and ...Integer operators", kGuide, findings::qoperators},
    {"scale-not-constant", kEvery, "a scale is computed at run time", kGuide, findings::scale_not_constant},
    {"scale-not-positive", kEvery, "a scale is 0, negative, infinite or NaN", kGuide, findings::scale_not_positive},
    {"missing-zero-point", kOwn, "a pair without a zero point", kParser, findings::missing_zero_point},
    {"uint8-codes", kOwn, "UINT8 where TensorRT takes INT8", kParser, findings::uint8_codes},
    {"uint8-zero-point", kOwn, "a UINT8 zero point, read as INT8", kNewParser, findings::uint8_zero_point,
     FindingScope::TypedPairs},
    {"int16-codes", kOwn, "codes of 16 bits", kNewParser, findings::int16_codes, FindingScope::TypedPairs},
    {"codes-not-8-bit", kEvery, "codes of 4 or 16 bits, or floats other than float8e4m3fn",
     "onnx.ai/onnx/operators/onnx__QuantizeLinear.html", findings::other_codes},
    {"activations-of-16-bits", kOwn, "pairs of 16 bits, between which layers run in float",
     "github.com/microsoft/onnxruntime, docs/OperatorKernels.md, QLinearConv", findings::wide_activations},
    {"fp8-refused-by-engine", kEvery, "FP8 pairs that the engine or the opset does not take",
     "github.com/microsoft/onnxruntime/issues/22269; github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp",
     findings::fp8_refused},
    {"fp8-on-float-operator", kEvery, "an FP8 pair at an operator that no engine runs in FP8",
     "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization/fp8.py", findings::fp8_operator},
    {"nonzero-zero-point", kOwn, "an INT8 zero point that is not 0", kParser, findings::nonzero_zero_point},
    {"per-channel-activation", kOwn, "an activation with a scale for each channel", kGuide,
     findings::per_channel_activation},
    {"missing-axis", kEvery, "scales per channel without an axis attribute",
     "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp; tried in ONNX Runtime 1.30", findings::missing_axis},
    {"wrong-axis", kEvery, "weight scales along another axis than the operator's output channels",
     "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization; tried in ONNX Runtime 1.30", findings::wrong_axis},
    {"int32-bias", kOwn, "an INT32 bias with DequantizeLinear", "github.com/NVIDIA/TensorRT/issues/4542",
     findings::int32_bias},
    {"int8-weight-initializer", kOwn, "an INT8 weight for TensorRT before 10", "github.com/NVIDIA/TensorRT/issues/2163",
     findings::int8_weight_initializer},
    {"fp16-scale-below-opset-19", kEvery, "an FP16 scale below opset 19",
     "onnx.ai/onnx/operators/onnx__QuantizeLinear.html; tried in ONNX Runtime 1.30", findings::fp16_scale},
    {"q-and-dq-differ", kEvery, "QuantizeLinear and DequantizeLinear of a pair have different scales or zero points",
     "onnx.ai/onnx/operators/onnx__DequantizeLinear.html", findings::unequal_halves},
    {"q-without-dq", kEvery, "a QuantizeLinear without its DequantizeLinear",
     "onnx.ai/onnx/operators/onnx__QuantizeLinear.html", findings::q_without_dq},
    {"cast-between-q-and-dq", kEvery, "a Cast of the codes to another type stands inside a pair",
     "tried in ONNX Runtime 1.30, CPU; for TensorRT our policy", findings::cast_between_halves},
    {"operator-between-q-and-dq", kEvery, "a Clip or another operator on codes stands inside a pair",
     "github.com/Xilinx/brevitas/pull/497; tried in ONNX Runtime 1.30, CPU; for other engines our policy",
     findings::operator_inside_pair},
    {"weight-without-dq", kEvery, "a weight without DequantizeLinear although the data has one", kGuideAndTried,
     findings::weight_without_dq},
    {"refused-activation", kOwn, "a Relu or Clip that ONNX Runtime absorbs partly, and refuses the model", kTried,
     findings::refused_activation},
    {"scale-not-scalar", kOwn, "a scale of shape [1] at an operator whose integer kernel takes scalars",
     "tried in ONNX Runtime 1.20 to 1.32, CPU", findings::scale_not_scalar},
    {"joined-pairs", kOwn, "two pairs in a row that ONNX Runtime joins, and refuses the model",
     "tried in ONNX Runtime 1.20 to 1.32, CPU", findings::joined_pairs},
    {"ignored-bias-scale", kOwn, "a bias scale of a product that is not input scale * weight scale", kTried,
     findings::ignored_bias_scale},
    {"bias-scale", kEvery, "a bias scale that is not input scale * weight scale", kTried, findings::bias_scale},
    {"clip-before-int8-q", kOwn, "a Clip in front of an INT8 pair that reaches below it",
     "tried in ONNX Runtime 1.14, 1.17, 1.20 and 1.30, CPU", findings::clip_before_int8_q},
    {"copied-int8-pair", kOwn, "an INT8 pair that ONNX Runtime 1.30 to 1.32 copies with another type, from opset 21 on",
     "tried in ONNX Runtime 1.24 and 1.32, CPU", findings::copied_int8_pair},
    {"shared-int8-pair", kOwn, "an INT8 pair with several readers", kTried, findings::shared_int8_pair},
    {"deconvolution-3d-not-closed", kOwn, "a 3-D ConvTranspose without a pair behind it", kIssue3412,
     findings::deconvolution_3d_not_closed, kPairs, &Target::int8_deconvolutions},
    {"batchnorm-behind-deconvolution", kOwn, "a BatchNormalization was left behind a ConvTranspose", kIssue3412,
     findings::batchnorm_behind_deconvolution, kPairs, &Target::int8_deconvolutions},
    {"skip-not-quantized", kOwn, "the skip of a residual Add is float", kGuide, findings::skip_not_quantized},
    {"pair-between-conv-and-add", kOwn, "a pair stands between a convolution and its residual Add", kGuide,
     findings::pair_between_conv_and_add},
    {"pair-between-conv-and-activation", kEvery, "a pair stands between a weighted op and its activation",
     kGuideAndTried, findings::pair_between_conv_and_activation},
    {"concat-scales-differ", kEvery, "pairs around a Concat with different scales",
     "github.com/NVIDIA-AI-IOT/yolo_deepstream, yolov7_qat; github.com/NVIDIA/TensorRT/issues/2597",
     findings::concat_scales_differ, kPairs, &Target::concat_shares_scale},
    {"coarse-scores", kEvery, "scores that share a coarse scale with boxes or other larger numbers",
     "ours, measured (R18)", findings::coarse_scores},
    {"copy-scales-differ", kEvery, "pairs around MaxPool, Reshape ... with different scales",
     "github.com/NVIDIA-AI-IOT/yolo_deepstream, yolov7_qat; tried in ONNX Runtime 1.30", findings::copy_scales_differ},
    {"float-island", kEvery, "an op in float between INT8 layers", kGuideAndTried, findings::float_island},
    {"attention-not-fused", kOwn, "attention with pairs that TensorRT does not run as one kernel", kFusedAttention,
     findings::attention_not_fused},
    {"saturates-without-vnni", kEvery, "weights whose products saturate on x86 CPUs without VNNI",
     "onnxruntime/core/mlas/lib, QgemmU8X8KernelAvx2 and ConvSymKernelAvx2; tried in ONNX Runtime 1.30",
     findings::saturates_without_vnni, kPairs, &Target::saturates_without_vnni},
    {"pairs-for-dla", kOwn, "pairs in a file for DLA, which takes a calibration cache",
     "github.com/NVIDIA/Model-Optimizer/pull/1661", findings::pairs_for_dla},
    {"int4-not-fused", kOwn, "a weight in blocks or of 4 bits that no kernel reads",
     "tried in ONNX Runtime 1.30, CPU; core/optimizer/qdq_transformer/selectors_actions/qdq_selectors.cc, "
     "DQMatMulNodeGroupSelector",
     findings::int4_not_fused},
    {"blocked-axis", kOwn, "blocks along an axis, or of a size, that TensorRT or OpenVINO does not take",
     "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/work-quantized-types.html, block quantization",
     findings::blocked_axis},
    {"odd-rows", kOwn, "4-bit codes in an odd number of rows, which OpenVINO reads wrong",
     "tried in OpenVINO 2026.4.1, CPU", findings::odd_rows},
    {"odd-nibbles", kOwn, "an odd number of 4-bit codes",
     "docs.nvidia.com/deeplearning/tensorrt/latest/_static/operators/Quantize.html, INT4", findings::odd_nibbles},
    {"no-int8-kernel", kOwn, "a layer with pairs for which TensorRT has no INT8 kernel",
     "TensorRT 10.6 on an H100 (SM90), inspected engines; November 2026", findings::no_int8_kernel},
    {"layer-left-float", kEvery, "a weighted layer runs in float although no rule requires it", kRules,
     findings::layer_left_float},
    {"layer-float-on-purpose", kEvery, "a weighted layer runs in float on purpose, according to the file's metadata",
     "metadata detent.float_layer:NODE of files that Detent wrote", findings::layer_float_on_purpose},
    {"layer-float-by-rule", kEvery, "a weighted layer runs in float because a rule requires it", kRules,
     findings::layer_float_by_rule},
    {"attention-order", kOwn, "scale or Transpose of attention where TensorRT does not want it", kFusedAttention,
     findings::attention_order},
    {"product-left-float", kEvery, "a MatMul of two activations runs in float",
     "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization", findings::product_left_float},
    {"concat-input-from-float", kOwn, "a quantized Concat reads the output of a float layer",
     "github.com/NVIDIA/TensorRT/issues/4366", findings::concat_input_from_float},
    {"leaky-relu-not-closed", kOwn, "a LeakyRelu without a pair behind it", "github.com/NVIDIA/TensorRT/issues/2134",
     findings::leaky_relu_not_closed},
    {"scale-type-mixed", kOwn, "QuantizeLinear reads a value of one type with a scale of another", kNewParser,
     findings::scale_type_mixed, FindingScope::Types},
    {"cast-between-pair-and-kernel", kOwn, "a Cast stands between a pair and the kernel that writes or reads it",
     "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/utils.py, fold_q_fp16_to_fp32_casts and "
     "fold_dq_fp32_to_fp16_casts, which remove such casts",
     findings::cast_at_pair, FindingScope::Types},
    {"overflow-in-half", kOwn, "16-bit floats that are Inf or NaN, or with --data reach beyond half of the range",
     "IEEE 754-2019, binary16; the headroom of src/half", findings::overflow_in_half, FindingScope::Types},
    {"vanishing-constant", kOwn,
     "a constant in 16 bits that became 0 where it guards a division, or a table of such numbers",
     "IEEE 754-2019, binary16, subnormal numbers; the limits of src/half", findings::vanishing_constant,
     FindingScope::Types},
    {"float32-rest", kOwn, "nodes compute in FP32 in a model with INT8 or 16-bit floats",
     "docs.nvidia.com/deeplearning/tensorrt/latest/api/migration/tensorrt-10x-to-11x.html, Strongly Typed Networks Are "
     "Now Required",
     findings::float32_rest, FindingScope::Types},
    {"opset-too-new", kOwn, "an opset that the engine's frontend does not know",
     "github.com/openvinotoolkit/openvino, src/frontends/onnx/frontend/CMakeLists.txt, ONNX_OPSET_VERSION; November "
     "2026",
     findings::opset_too_new},
    {"operator-not-parsed", kOwn, "an operator that the version's parser does not know",
     "github.com/onnx/onnx-tensorrt, branch 8.6-GA, builtin_op_importers.cpp", findings::operator_not_parsed},
    {"computed-otherwise", kOwn, "pairs between which OpenVINO computes other numbers, or which it does not compile",
     "OpenVINO 2026.4.1, CPU plugin on AVX2, asked; November 2026", findings::computed_otherwise},
    {"open-time-axis", kOwn, "an INT8 Conv over an open axis, which OpenVINO computes wrongly on some CPUs",
     "OpenVINO 2026.4.1, CPU plugin, asked on two CPUs; November 2026", findings::open_time_axis},
    {"htp-control-flow", kOwn, "control flow, which HTP does not run", kQnn, findings::htp_control_flow},
    {"htp-open-shape", kOwn, "a graph input with an open extent", kQnn, findings::htp_open_shape},
    {"htp-float-unit", kOwn, "a node without pairs all around, which HTP does not run", kUnits,
     findings::htp_float_unit},
    {"htp-mixed-types", kOwn, "a node that reads and writes codes of different types", kUnits,
     findings::htp_mixed_types},
    {"htp-per-channel", kOwn, "a scale for each channel where HTP takes one", kQnn, findings::htp_per_channel},
    {"htp-no-kernel", kOwn, "a node for which HTP has no kernel, whatever its pairs are", kQnn,
     findings::htp_no_kernel},
};

}  // namespace

std::span<const FindingKind> finding_list() { return kFindings; }

}  // namespace detent
