#include <array>

#include "place/engines/tensorrt/estimate.h"
#include "place/engines/tensorrt/fused_attention.h"
#include "place/engines/tensorrt/half_risks.h"
#include "place/engines/tensorrt/next_command.h"
#include "place/engines/tensorrt/parsed_operators.h"
#include "place/engines/tensorrt/rules.h"
#include "place/rules/rules.h"

namespace detent::tensorrt {
namespace {

std::span<const Target> targets();

using namespace rules;
using namespace rules::tensorrt;

constexpr std::array kRules{&kUserChoice,      &kMeasuredChoice,     &kSignalFrontEnd,    &kResidualStream,
                            &kDecoding,        &kSmallLayers,        &kWeightedOps,       &kDeconvolutionActivation,
                            &kFusedActivation, &kUnfusedActivations, &kBatchNorm,         &kResidualAdd,
                            &kFp8Layers,       &kFusedAttention,     &kAttentionAndNorms, &kPoolingAndElementwise,
                            &kGraphOutputs,    &kKnownRanges,        &kCommutingOps,      &kConcat,
                            &kStates,          &kFloatKernels,       &kCostlyRegions};

constexpr std::array kForms{OperatorForm::FixedSizes, OperatorForm::BatchFirst, OperatorForm::FlatMlps,
                            OperatorForm::ShuffleProducts};

constexpr EngineDef kEngine{
    .id = Engine::TensorRT,
    .name = "tensorrt",
    .title = "TensorRT",
    .family = "tensorrt",
    .page = "src/place/RULES.md#rules-of-tensorrt",
    .targets = targets,
    .rules = kRules,
    .other_engine = "onnxruntime",
    .minimum_opset = 13,
    .newest_opset = 0,
    .takes_pairs = true,
    .whole_graph = false,
    .closes_outputs = false,
    .pairs_beside_foreign = false,
    .biases = BiasTypes::FloatOnly,
    .narrow_weights = false,
    .rescales_middle = false,
    .channel_scales_of_products = true,
    .uint8_single_scales = false,
    .blocks_divide_rows = true,
    .shortens_blocks = false,
    .int8_weights_alone = true,
    .packs_products = false,
    .gates_in_codes = false,
    .forms = kForms,
    .half_bias_codes = false,
    .runs_qoperators = false,
    .float32_scales = false,
    .half_scales_below_opset19 = true,
    .pairs_in_front_suffice = true,
    .fuses_residual_adds = true,
    .fuses_scaled_norms = false,
    .kernels_with_half_scales = true,
    .requantizes_at_concat = true,
    .gathers_codes = false,
    .beside_bf16 = "",
    .fast_in_half = true,
    .slow_between_pairs = std::span<const FloatOperator>(),
    .cache_version = cache_version,
    .half_risks = half_risks,
    .estimate = estimate,
    .next_command = next_command,
};

constexpr std::array kActivations{ActivationType{DataType::Int8}};

constexpr Target version(int major, int minor, const ParserFacts& parser = {}) {
  return Target{
      .engine = kEngine,
      .version_major = major,
      .version_minor = minor,
      .variant = "",
      .activation = QuantType{.type = DataType::Int8},
      .activation_types = kActivations,
      .other_types = "its parser refuses zero points of other types, or reads them as INT8",
      .int8_weight_initializer = major >= 10,
      .default_axis_is_1 = major >= 11,
      .reads_uint8_as_int8 = major >= 11,
      .saturates_without_vnni = false,
      .pairs_taps_apart = false,
      .int8_deconvolutions = true,
      .concat_shares_scale = true,
      .operands_share_scale = false,
      .float_type = major >= 11 ? FloatType::Fp16 : FloatType::Fp32,
      .fp8_refusal = major >= 10 ? "" : "its NvInferRuntimeBase.h calls the type not supported yet",
      .strongly_typed = major >= 11,
      .attention_kernels = detent::tensorrt::attention_kernels(major),
      .parser = parser,
  };
}

// Source: the release notes of 10.0 name opset 20.
constexpr ParserFacts kParser10_0{.newest_opset = 20};

constexpr std::array kTargets{version(10, 13), version(11, 0), version(10, 8), version(10, 0, kParser10_0),
                              version(8, 6, kParser8_6)};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::tensorrt
