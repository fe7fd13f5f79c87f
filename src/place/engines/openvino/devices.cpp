#include <array>

#include "place/engines/openvino/rules.h"
#include "place/engines/target.h"
#include "place/rules/rules.h"

namespace detent::openvino {
namespace {

constexpr std::string_view kFloatOnCpu =
    "OpenVINO's low precision transformations handle 8 bits only: its CPU plugin computes between 16-bit pairs in "
    "float, with the accuracy of the codes and without their speed";
constexpr std::array kCpuTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8},
                               ActivationType{DataType::UInt16, kFloatOnCpu},
                               ActivationType{DataType::Int16, kFloatOnCpu}};
constexpr std::array kGpuTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8}};
constexpr std::array kNpuTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8},
                               ActivationType{DataType::UInt16}, ActivationType{DataType::Int16}};

constexpr std::array kForms{OperatorForm::MatrixProduct, OperatorForm::BoundedActivations, OperatorForm::EarlyStrides};

std::span<const Target> targets();

using namespace rules;
using namespace rules::openvino;

constexpr std::array kRules{&kUserChoice,  &kMeasuredChoice, &kFloatLayers,     &kSignalFrontEnd, &kResidualStream,
                            &kDecoding,    &kWeightedOps,    &kFusedActivation, &kBatchNorm,      &kAttentionAndNorms,
                            &kElementwise, &kGraphOutputs,   &kKnownRanges,     &kSymmetric,      &kCopies,
                            &kStates,      &kOpenAxes,       &kEmbeddings,      &kFloatWeights};

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
    .closes_outputs = false,
    .pairs_beside_foreign = true,
    .biases = BiasTypes::FloatOrInt32,
    .narrow_weights = true,
    .rescales_middle = false,
    .channel_scales_of_products = true,
    .uint8_single_scales = false,
    .blocks_divide_rows = false,
    .shortens_blocks = true,
    .int8_weights_alone = true,
    .packs_products = false,
    .gates_in_codes = false,
    .forms = kForms,
    .half_bias_codes = false,
    .runs_qoperators = false,
    .float32_scales = true,
    .half_scales_below_opset19 = false,
    .pairs_in_front_suffice = true,
    .fuses_residual_adds = false,
    .fuses_scaled_norms = true,
    .kernels_with_half_scales = true,
    .requantizes_at_concat = false,
    .gathers_codes = true,
    .beside_bf16 = "its CPU plugin runs them in BF16",
    .fast_in_half = false,
    .slow_between_pairs = std::span<const FloatOperator>(),
    .cache_version = nullptr,
    .half_risks = nullptr,
    .estimate = nullptr,
    .next_command = nullptr,
};

constexpr Target device(std::string_view name, std::span<const ActivationType> types) {
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
  };
}

constexpr std::array kTargets{device("cpu", kCpuTypes), device("gpu", kGpuTypes), device("npu", kNpuTypes)};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::openvino
