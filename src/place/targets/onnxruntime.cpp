#include <array>

#include "place/targets/targets.h"

namespace detent {
namespace {

constexpr std::string_view kTriedOptimized = "tried in ONNX Runtime 1.30 on x64, CPU provider, optimizedModelFilePath";
constexpr std::string_view kManual = "onnxruntime.ai/docs/performance/model-optimizations/quantization.html";

// The kernels and their types: docs/OperatorKernels.md there, CPUExecutionProvider.
constexpr std::string_view kInsertCast =
    "github.com/microsoft/onnxruntime, core/optimizer/insert_cast_transformer.cc, "
    "InsertCastTransformer::NeedInsertCast";

constexpr std::string_view kContribOperators =
    "github.com/microsoft/onnxruntime, docs/ContribOperators.md, com.microsoft.QuantizeLinear; docs/OperatorKernels.md";

constexpr std::array kFacts{
    SourcedFact{"activations are uint8 asymmetric by default, weights int8 per channel", kManual},
    SourcedFact{"the bias is float or INT32 with scale s_x * s_w; 1 % off is accepted, 10 % leaves the Conv float",
                kTriedOptimized},
    SourcedFact{"a Gemm with a float bias stays float without a pair behind it, with an INT32 bias it becomes QGemm",
                kTriedOptimized},
    SourcedFact{"a QGemm computes its bias with s_x * s_w, whatever scale the file gives it", kTriedOptimized},
    SourcedFact{"an integer kernel needs pairs on all its inputs and on its output", kTriedOptimized},
    SourcedFact{"levels extended and all convert, basic does not", kTriedOptimized},
    SourcedFact{"a float weight is quantized per tensor when the data input has a DQ and the output leads to a Q",
                kTriedOptimized},
    SourcedFact{"int8 activations of Conv and MatMul become integer only where each Q has one DQ with one consumer",
                kTriedOptimized},
    SourcedFact{
        "on x86 without VNNI two neighbouring products of uint8 and int8 are added in 16 bits, with saturation; "
        "depthwise, uint8 x uint8 and int8 x int8 products are exact",
        kTriedOptimized},
    SourcedFact{"few CPU kernels take FP16: the engine runs the other nodes in FP32, between casts that it inserts",
                kInsertCast},
    SourcedFact{"it inserts no casts for BF16, which fewer kernels take: FP32 is the default float type", kInsertCast},
    SourcedFact{
        "codes of 16 bits are those of opset 21, below it of domain com.microsoft; no integer kernel takes them",
        kContribOperators},
    SourcedFact{"FP16 scales are refused below opset 19", kTriedOptimized},
    SourcedFact{"no kernel is integer between FP16 values, whatever the type of the scales", kTriedOptimized},
    SourcedFact{"a Concat with FP16 scales all around becomes a QLinearConcat that the engine then refuses",
                kTriedOptimized},
};

constexpr std::string_view kFloatBetween =
    "ONNX Runtime's integer kernels take 8 bits only: its CPU provider computes between 16-bit pairs in float, with "
    "the "
    "accuracy of the codes and without their speed";
constexpr std::array kOnnxRuntimeActivations{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8},
                                             ActivationType{DataType::UInt16, kFloatBetween},
                                             ActivationType{DataType::Int16, kFloatBetween}};

constexpr std::array kOnnxRuntimeTargets{
    Target{.name = "onnxruntime",
           .version_major = 1,
           .version_minor = 30,
           .engine = Engine::OnnxRuntime,
           .activation = {.type = DataType::UInt8},
           .activation_types = kOnnxRuntimeActivations,
           .other_types = "its DequantizeLinear takes no such codes",
           .int8_weight_initializer = true,
           .int32_bias = true,
           .minimum_opset = 13,
           .fp16_scales_below_opset19 = false,
           .saturates_without_vnni = true,
           .fp8 = false,
           .fp8_refusal = "layers between FP8 pairs do not load at its default optimization level "
                          "(microsoft/onnxruntime, issue 22269), and it has no kernels for them",
           .facts = kFacts}};

}  // namespace

std::span<const Target> onnxruntime_targets() { return kOnnxRuntimeTargets; }

}  // namespace detent
