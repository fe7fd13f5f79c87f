#include <array>

#include "place/engines/openvino/rules.h"
#include "place/engines/target.h"
#include "place/rules/rules.h"

namespace detent::openvino {
namespace {

// Read in November 2026. Of this family the CPU plugin runs in our tests; a fact about the others is as good as its
// source.
constexpr std::string_view kSetups =
    "github.com/openvinotoolkit/nncf, src/nncf/common/hardware/setups/{cpu,gpu,npu}.py and qspaces.py, read 2026-11";
constexpr std::string_view kGroups =
    "github.com/openvinotoolkit/nncf, src/nncf/onnx/graph/metatypes/groups.py, read 2026-11";
constexpr std::string_view kFrontend =
    "github.com/openvinotoolkit/openvino, src/frontends/onnx/frontend/src/op/quantize_linear.cpp, read 2026-11";
constexpr std::string_view kOpsets =
    "github.com/openvinotoolkit/openvino, src/frontends/onnx/frontend/CMakeLists.txt (ONNX_OPSET_VERSION) and "
    "src/core/operator_set.cpp, 2025, read 2026-11";
constexpr std::string_view kTransformations =
    "docs.openvino.ai, low-precision-transformations and quantized-models, read 2026-11";
constexpr std::string_view kPlugin = "OpenVINO 2026.4.1, CPU plugin on AVX2, asked 2026-11";
constexpr std::string_view kOverflow = "github.com/openvinotoolkit/openvino/issues/25342, read 2026-11";

constexpr std::array kEveryDevice{
    SourcedFact{"activations are uint8 asymmetric, weights int8 per channel, symmetric, from -127 to 127", kSetups},
    SourcedFact{"pairs stand on the inputs of layers and elementwise operators, and on no graph output", kGroups},
    SourcedFact{"copies (MaxPool, Reshape, Transpose, Slice ...) take the type that comes and need no pair", kSetups},
    SourcedFact{"a ConvTranspose with groups, or with a zero point other than 0, runs in float", kPlugin},
    SourcedFact{"a product of two activations runs in float if a zero point is not 0 or the second operand is uint8",
                kPlugin},
    SourcedFact{"a product of rows that a Concat with a zero point puts together does not compile", kPlugin},
    SourcedFact{"a product of a vector behind a pair returns a matrix, unless an Unsqueeze stands in front of the pair",
                kPlugin},
    SourcedFact{
        "a Gather of rows with a scale a column in front gives wrong numbers or ends the program; scales behind "
        "it are right",
        kPlugin},
    SourcedFact{"a pair behind ReduceMax, ReduceMin or GlobalMaxPool is computed in its kernel, and wrongly", kPlugin},
    SourcedFact{
        "attention with an INT8 constant on the left is wrong if the other operand is float or has a zero point",
        kPlugin},
    SourcedFact{"an average of added zeros is wrong between codes with a zero point", kPlugin},
    SourcedFact{"a Conv behind a Concat of another axis than the channels runs in float if a zero point is not 0",
                kPlugin},
    SourcedFact{"a Conv of signed codes that a Concat joins is wrong on CPUs without AMX", kPlugin},
    SourcedFact{"the scale of DequantizeLinear is FP32; a zero point that is left out is UINT8", kFrontend},
    SourcedFact{"biases stay float", kGroups},
    SourcedFact{
        "the ONNX frontend knows operators up to opset 21; of newer models it warns, and reads each operator in "
        "the newest version that it knows",
        kOpsets},
};

constexpr std::array kCpu{
    SourcedFact{"the inputs of a Concat have one scale", kSetups},
    SourcedFact{"the low precision transformations handle 8 bits only: between 16-bit pairs the CPU runs in float",
                kTransformations},
    SourcedFact{"x86 CPUs without VNNI add two neighbouring products in 16 bits, with saturation", kOverflow},
    SourcedFact{"in a Conv without groups both belong to one place of the kernel", kPlugin},
};
constexpr std::array kGpu{
    SourcedFact{"the inputs of a Concat may have different scales", kSetups},
    SourcedFact{"it has no 16-bit activations", "github.com/intel/onnxruntime/pull/712, read 2026-11"},
};
constexpr std::array kNpu{
    SourcedFact{"the inputs of a Concat have one scale", kSetups},
    SourcedFact{"the inputs of Add, Sub, Mul, Max and Min have one scale", kSetups},
    SourcedFact{"activations may have 16 bits", kSetups},
};

constexpr auto kCpuFacts = facts_of(kEveryDevice, kCpu);
constexpr auto kGpuFacts = facts_of(kEveryDevice, kGpu);
constexpr auto kNpuFacts = facts_of(kEveryDevice, kNpu);

constexpr std::string_view kFloatOnCpu =
    "OpenVINO's low precision transformations handle 8 bits only: its CPU plugin computes between 16-bit pairs in "
    "float, with the accuracy of the codes and without their speed";
constexpr std::array kCpuTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8},
                               ActivationType{DataType::UInt16, kFloatOnCpu},
                               ActivationType{DataType::Int16, kFloatOnCpu}};
constexpr std::array kGpuTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8}};
constexpr std::array kNpuTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8},
                               ActivationType{DataType::UInt16}, ActivationType{DataType::Int16}};

constexpr std::array kForms{OperatorForm::MatrixProduct, OperatorForm::BoundedActivations};

std::span<const Target> targets();

using namespace rules;
using namespace rules::openvino;

constexpr std::array kRules{&kUserChoice,  &kMeasuredChoice, &kFloatLayers,     &kSignalFrontEnd, &kResidualStream,
                            &kDecoding,    &kWeightedOps,    &kFusedActivation, &kBatchNorm,      &kAttentionAndNorms,
                            &kElementwise, &kGraphOutputs,   &kKnownRanges,     &kSymmetric,      &kCopies,
                            &kStates,      &kOpenAxes};

constexpr EngineDef kEngine{
    .id = Engine::OpenVino,
    .name = "openvino",
    .title = "OpenVINO",
    .family = "openvino",
    .page = "src/place/RULES.md#rules-of-openvino",
    .targets = targets,
    .rules = kRules,
    .other_engine = "onnxruntime",
    .minimum_opset = 13,
    .newest_opset = 24,
    .takes_pairs = true,
    .whole_graph = false,
    .pairs_beside_foreign = true,
    .biases = BiasTypes::FloatOrInt32,
    .narrow_weights = true,
    .channel_scales_of_products = true,
    .uint8_single_scales = false,
    .blocks_divide_rows = false,
    .shortens_blocks = true,
    .int8_weights_alone = true,
    .forms = kForms,
    .half_bias_codes = false,
    .runs_qoperators = false,
    .float32_scales = true,
    .half_scales_below_opset19 = false,
    .pairs_in_front_suffice = true,
    .fuses_residual_adds = false,
    .kernels_with_half_scales = true,
    .requantizes_at_concat = false,
    .gathers_codes = true,
    .beside_bf16 = "its CPU plugin runs them in BF16",
    .fast_in_half = false,
    .slow_between_pairs = std::span<const FloatOperator>(),
    .cache_version = nullptr,
    .half_risks = nullptr,
    .next_command = nullptr,
};

constexpr Target device(std::string_view name, std::span<const ActivationType> types,
                        std::span<const SourcedFact> facts) {
  return Target{
      .engine = kEngine,
      .version_major = 0,
      .version_minor = 0,
      .variant = name,
      .activation = QuantType{.type = DataType::UInt8},
      .activation_types = types,
      .other_types = "its plugin has no kernels for such activations",
      .int8_weight_initializer = true,
      .default_axis_is_1 = true,
      .reads_uint8_as_int8 = false,
      .saturates_without_vnni = name == "cpu",
      .pairs_taps_apart = name == "cpu",
      .int8_deconvolutions = true,
      .concat_shares_scale = name != "gpu",
      .operands_share_scale = name == "npu",
      .float_type = FloatType::Fp32,
      .fp8_refusal = "its low precision transformations make kernels of 8-bit integers only",
      .strongly_typed = false,
      .attention_kernels = std::span<const AttentionKernel>(),
      .facts = facts,
  };
}

constexpr std::array kTargets{device("cpu", kCpuTypes, kCpuFacts), device("gpu", kGpuTypes, kGpuFacts),
                              device("npu", kNpuTypes, kNpuFacts)};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::openvino
