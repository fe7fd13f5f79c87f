#include <array>

#include "place/engines/rknn/rules.h"
#include "place/engines/target.h"
#include "place/rules/rules.h"

namespace detent::rknn {
namespace {

constexpr std::array kActivations{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8}};

constexpr std::array kForms{OperatorForm::Float32,
                            OperatorForm::FiniteMasks,
                            OperatorForm::DefaultActivations,
                            OperatorForm::BoundedActivations,
                            OperatorForm::NarrowStrides,
                            OperatorForm::SignalPatches,
                            OperatorForm::NarrowWindows,
                            OperatorForm::MaskedScores,
                            OperatorForm::NonzeroBiases,
                            OperatorForm::ReducedPlanes,
                            OperatorForm::FocusConvs,
                            OperatorForm::ConvPerOperand,
                            OperatorForm::LastSteps,
                            OperatorForm::NamedOutputs,
                            OperatorForm::OutputsApart,
                            OperatorForm::PlainDeconvolution,
                            OperatorForm::PlanePooling,
                            OperatorForm::OperandsInPairs,
                            OperatorForm::PlainGemm,
                            OperatorForm::ExplicitNorms};

std::span<const Target> targets();

using namespace rules;
using namespace rules::rknn;

constexpr std::array kRules{&kUserChoice,  &kMeasuredChoice, &kDecoding,  &kLayers,    &kOneScale,
                            &kKnownRanges, &kStates,         &kObstacles, &kEmbeddings};

constexpr EngineDef kEngine{
    .id = Engine::Rknn,
    .name = "rknn",
    .title = "RKNN",
    .family = "rknn",
    .page = "src/place/RULES.md#rules-of-rockchips-npu",
    .targets = targets,
    .rules = kRules,
    .other_engine = "onnxruntime",
    .minimum_opset = 13,
    .newest_opset = 19,
    .takes_pairs = true,
    .whole_graph = false,
    .closes_outputs = true,
    .pairs_beside_foreign = true,
    .biases = BiasTypes::Int32OrFloat,
    .narrow_weights = true,
    .rescales_middle = true,
    .channel_scales_of_products = true,
    .uint8_single_scales = false,
    .blocks_divide_rows = false,
    .shortens_blocks = false,
    .int8_weights_alone = true,
    .packs_products = false,
    .gates_in_codes = false,
    .forms = kForms,
    .half_bias_codes = false,
    .runs_qoperators = false,
    .float32_scales = true,
    .half_scales_below_opset19 = false,
    .pairs_in_front_suffice = false,
    .fuses_residual_adds = false,
    .fuses_scaled_norms = false,
    .kernels_with_half_scales = true,
    .requantizes_at_concat = false,
    .gathers_codes = false,
    .beside_bf16 = "",
    .fast_in_half = false,
    .slow_between_pairs = std::span<const FloatOperator>(),
    .cache_version = nullptr,
    .half_risks = nullptr,
    .estimate = nullptr,
    .next_command = nullptr,
};

constexpr Target chip(std::string_view name) {
  return Target{
      .engine = kEngine,
      .version_major = 2,
      .version_minor = 5,
      .variant = name,
      .activation = QuantType{.type = DataType::UInt8},
      .activation_types = kActivations,
      .other_types = "rknn-toolkit2 reads codes of 8 bits only",
      .int8_weight_initializer = true,
      .default_axis_is_1 = true,
      .reads_uint8_as_int8 = false,
      .saturates_without_vnni = false,
      .pairs_taps_apart = false,
      .int8_deconvolutions = true,
      .concat_shares_scale = false,
      .operands_share_scale = false,
      .float_type = FloatType::Fp32,
      .fp8_refusal = "the NPU has INT8 and FP16",
      .strongly_typed = false,
      .attention_kernels = std::span<const AttentionKernel>(),
      .parser = ParserFacts{.refuses_newer = true},
  };
}

constexpr std::array kTargets{chip("rk3588"), chip("rk3576"), chip("rk3566"), chip("rk3568"), chip("rv1106")};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::rknn
