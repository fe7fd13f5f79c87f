#include "lint/finding_list.h"

#include "lint/findings/findings.h"

namespace detent {

namespace {

using Level = std::optional<FindingLevel>;
constexpr Level kError = FindingLevel::Error, kWarning = FindingLevel::Warning, kNote = FindingLevel::Note, kAbsent;

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

constexpr FindingScope kPairs = FindingScope::Pairs;
constexpr std::string_view kUnits =
    "github.com/microsoft/onnxruntime, core/optimizer/qdq_transformer/selectors_actions/shared/utils.cc; November 2026";
constexpr std::string_view kQnn = "onnxruntime.ai/docs/execution-providers/QNN-ExecutionProvider.html; November 2026";

// id, level on TensorRT, level on ONNX Runtime, summary, source, check, scope, level on HTP
constexpr FindingKind kFindings[] = {
    {"integer-operators", kError, kAbsent, "QLinear... and ...Integer operators", kGuide, findings::qoperators},
    {"scale-not-constant", kError, kError, "a scale is computed at run time", kGuide, findings::scale_not_constant,
     kPairs, kError},
    {"scale-not-positive", kError, kError, "a scale is 0, negative, infinite or NaN", kGuide,
     findings::scale_not_positive, kPairs, kError},
    {"missing-zero-point", kError, kAbsent, "a pair without a zero point", kParser, findings::missing_zero_point},
    {"uint8-codes", kError, kAbsent, "UINT8 where TensorRT takes INT8", kParser, findings::uint8_codes},
    {"uint8-zero-point", kWarning, kAbsent, "a UINT8 zero point, read as INT8", kNewParser, findings::uint8_zero_point,
     FindingScope::TypedPairs},
    {"int16-codes", kError, kAbsent, "codes of 16 bits", kNewParser, findings::int16_codes, FindingScope::TypedPairs},
    {"codes-not-8-bit", kWarning, kWarning, "codes of 4 or 16 bits, or floats other than float8e4m3fn",
     "onnx.ai/onnx/operators/onnx__QuantizeLinear.html", findings::other_codes},
    {"activations-of-16-bits", kAbsent, kNote, "pairs of 16 bits, between which layers run in float",
     "github.com/microsoft/onnxruntime, docs/OperatorKernels.md, QLinearConv", findings::wide_activations},
    {"fp8-refused-by-engine", kError, kError, "FP8 pairs that the engine or the opset does not take",
     "github.com/microsoft/onnxruntime/issues/22269; github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp",
     findings::fp8_refused},
    {"fp8-on-float-operator", kWarning, kWarning, "an FP8 pair at an operator that no engine runs in FP8",
     "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization/fp8.py", findings::fp8_operator},
    {"nonzero-zero-point", kError, kAbsent, "an INT8 zero point that is not 0", kParser, findings::nonzero_zero_point},
    {"per-channel-activation", kError, kAbsent, "an activation with a scale for each channel", kGuide,
     findings::per_channel_activation},
    {"missing-axis", kError, kError, "scales per channel without an axis attribute",
     "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp; tried in ONNX Runtime 1.30", findings::missing_axis, kPairs,
     kError},
    {"wrong-axis", kError, kError, "weight scales along another axis than the operator's output channels",
     "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization; tried in ONNX Runtime 1.30", findings::wrong_axis,
     kPairs, kError},
    {"int32-bias", kError, kAbsent, "an INT32 bias with DequantizeLinear", "github.com/NVIDIA/TensorRT/issues/4542",
     findings::int32_bias},
    {"int8-weight-initializer", kError, kAbsent, "an INT8 weight for TensorRT before 10",
     "github.com/NVIDIA/TensorRT/issues/2163", findings::int8_weight_initializer},
    {"fp16-scale-below-opset-19", kNote, kError, "an FP16 scale below opset 19",
     "onnx.ai/onnx/operators/onnx__QuantizeLinear.html; tried in ONNX Runtime 1.30", findings::fp16_scale},
    {"q-and-dq-differ", kError, kError,
     "QuantizeLinear and DequantizeLinear of a pair have different scales or zero points",
     "onnx.ai/onnx/operators/onnx__DequantizeLinear.html", findings::unequal_halves, kPairs, kError},
    {"q-without-dq", kError, kError, "a QuantizeLinear without its DequantizeLinear",
     "onnx.ai/onnx/operators/onnx__QuantizeLinear.html", findings::q_without_dq, kPairs, kError},
    {"cast-between-q-and-dq", kWarning, kWarning, "a Cast of the codes to another type stands inside a pair",
     "tried in ONNX Runtime 1.30, CPU; for TensorRT our policy", findings::cast_between_halves, kPairs, kError},
    {"weight-without-dq", kError, kError, "a weight without DequantizeLinear although the data has one", kGuideAndTried,
     findings::weight_without_dq},
    {"refused-activation", kAbsent, kError, "a Relu or Clip that ONNX Runtime absorbs partly, and refuses the model",
     kTried, findings::refused_activation},
    {"ignored-bias-scale", kAbsent, kError, "a bias scale of a product that is not input scale * weight scale", kTried,
     findings::ignored_bias_scale},
    {"bias-scale", kAbsent, kWarning, "a bias scale that is not input scale * weight scale", kTried,
     findings::bias_scale, kPairs, kWarning},
    {"clip-before-int8-q", kAbsent, kWarning, "a Clip in front of an INT8 pair that reaches below it",
     "tried in ONNX Runtime 1.14, 1.17, 1.20 and 1.30, CPU", findings::clip_before_int8_q},
    {"shared-int8-pair", kAbsent, kWarning, "an INT8 pair with several readers", kTried, findings::shared_int8_pair},
    {"deconvolution-3d-not-closed", kWarning, kAbsent, "a 3-D ConvTranspose without a pair behind it", kIssue3412,
     findings::deconvolution_3d_not_closed},
    {"batchnorm-behind-deconvolution", kWarning, kAbsent, "a BatchNormalization was left behind a ConvTranspose",
     kIssue3412, findings::batchnorm_behind_deconvolution},
    {"skip-not-quantized", kWarning, kAbsent, "the skip of a residual Add is float", kGuide,
     findings::skip_not_quantized},
    {"pair-between-conv-and-add", kWarning, kAbsent, "a pair stands between a convolution and its residual Add", kGuide,
     findings::pair_between_conv_and_add},
    {"pair-between-conv-and-activation", kWarning, kWarning, "a pair stands between a weighted op and its activation",
     kGuideAndTried, findings::pair_between_conv_and_activation},
    {"concat-scales-differ", kWarning, kAbsent, "pairs around a Concat with different scales",
     "github.com/NVIDIA-AI-IOT/yolo_deepstream, yolov7_qat; github.com/NVIDIA/TensorRT/issues/2597",
     findings::concat_scales_differ},
    {"coarse-scores", kWarning, kWarning, "scores that share a coarse scale with boxes or other larger numbers",
     "ours, measured (R18)", findings::coarse_scores},
    {"copy-scales-differ", kWarning, kWarning, "pairs around MaxPool, Reshape ... with different scales",
     "github.com/NVIDIA-AI-IOT/yolo_deepstream, yolov7_qat; tried in ONNX Runtime 1.30", findings::copy_scales_differ,
     kPairs, kError},
    {"float-island", kWarning, kWarning, "an op in float between INT8 layers", kGuideAndTried, findings::float_island},
    {"saturates-without-vnni", kAbsent, kWarning, "weights whose products saturate on x86 CPUs without VNNI",
     "onnxruntime/core/mlas/lib, QgemmU8X8KernelAvx2 and ConvSymKernelAvx2; tried in ONNX Runtime 1.30",
     findings::saturates_without_vnni},
    {kPairsForDla, kAbsent, kAbsent, "pairs in a file for DLA, which takes a calibration cache",
     "github.com/NVIDIA/Model-Optimizer/pull/1661", findings::pairs_for_dla},
    {"int4-not-fused", kAbsent, kWarning, "a weight in blocks or of 4 bits that no kernel reads",
     "tried in ONNX Runtime 1.30, CPU; core/optimizer/qdq_transformer/selectors_actions/qdq_selectors.cc, "
     "DQMatMulNodeGroupSelector",
     findings::int4_not_fused},
    {"blocked-axis", kError, kAbsent, "blocks along an axis, or of a size, that TensorRT does not take",
     "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/work-quantized-types.html, block quantization",
     findings::blocked_axis},
    {"odd-nibbles", kError, kAbsent, "an odd number of 4-bit codes",
     "docs.nvidia.com/deeplearning/tensorrt/latest/_static/operators/Quantize.html, INT4", findings::odd_nibbles},
    {"layer-left-float", kWarning, kWarning, "a weighted layer runs in float although no rule requires it", kRules,
     findings::layer_left_float},
    {"layer-float-on-purpose", kNote, kNote,
     "a weighted layer runs in float on purpose, according to the file's metadata",
     "metadata detent.float_layer:NODE of files that Detent wrote", findings::layer_float_on_purpose},
    {"layer-float-by-rule", kNote, kNote, "a weighted layer runs in float because a rule requires it", kRules,
     findings::layer_float_by_rule},
    {"product-left-float", kNote, kNote, "a MatMul of two activations runs in float",
     "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization", findings::product_left_float},
    {"concat-input-from-float", kNote, kAbsent, "a quantized Concat reads the output of a float layer",
     "github.com/NVIDIA/TensorRT/issues/4366", findings::concat_input_from_float},
    {"stem-conv-maxpool", kNote, kAbsent, "the first convolution is followed by a MaxPool",
     "NVIDIA/TensorRT issues on explicit quantization of ResNet", findings::stem_conv_maxpool},
    {"depthwise-silu", kNote, kAbsent, "a depthwise convolution with SiLU behind it",
     "github.com/NVIDIA/TensorRT/issues/3205", findings::depthwise_silu},
    {"leaky-relu-not-closed", kNote, kAbsent, "a LeakyRelu without a pair behind it",
     "github.com/NVIDIA/TensorRT/issues/2134", findings::leaky_relu_not_closed},
    {"scale-type-mixed", kError, kAbsent, "QuantizeLinear reads a value of one type with a scale of another",
     kNewParser, findings::scale_type_mixed, FindingScope::Types},
    {"cast-between-pair-and-kernel", kWarning, kAbsent,
     "a Cast stands between a pair and the kernel that writes or reads it",
     "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/utils.py, fold_q_fp16_to_fp32_casts and "
     "fold_dq_fp32_to_fp16_casts, which remove such casts",
     findings::cast_at_pair, FindingScope::Types},
    {"overflow-in-half", kWarning, kAbsent,
     "16-bit floats that are Inf or NaN, or with --data reach beyond half of the range",
     "IEEE 754-2019, binary16; the headroom of src/half", findings::overflow_in_half, FindingScope::Types},
    {"vanishing-constant", kWarning, kAbsent,
     "a constant in 16 bits that became 0 where it guards a division, or a table of such numbers",
     "IEEE 754-2019, binary16, subnormal numbers; the limits of src/half", findings::vanishing_constant,
     FindingScope::Types},
    {"float32-rest", kWarning, kAbsent, "nodes compute in FP32 in a model with INT8 or 16-bit floats",
     "docs.nvidia.com/deeplearning/tensorrt/latest/api/migration/tensorrt-10x-to-11x.html, Strongly Typed Networks Are "
     "Now Required",
     findings::float32_rest, FindingScope::Types},
    {"htp-control-flow", kAbsent, kAbsent, "control flow, which HTP does not run", kQnn, findings::htp_control_flow,
     kPairs, kError},
    {"htp-open-shape", kAbsent, kAbsent, "a graph input with an open extent", kQnn, findings::htp_open_shape, kPairs,
     kError},
    {"htp-float-unit", kAbsent, kAbsent, "a node without pairs all around, which HTP does not run", kUnits,
     findings::htp_float_unit, kPairs, kError},
    {"htp-mixed-types", kAbsent, kAbsent, "a node that reads and writes codes of different types", kUnits,
     findings::htp_mixed_types, kPairs, kError},
    {"htp-per-channel", kAbsent, kAbsent, "a scale for each channel where HTP takes one", kQnn,
     findings::htp_per_channel, kPairs, kError},
};

}  // namespace

std::span<const FindingKind> finding_list() { return kFindings; }

}  // namespace detent
