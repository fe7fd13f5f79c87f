#include <array>

#include "place/engines/qnn/rules.h"
#include "place/engines/target.h"
#include "place/rules/rules.h"

namespace detent::qnn {
namespace {

constexpr std::array kQnnActivations{ActivationType{DataType::UInt8}, ActivationType{DataType::UInt16},
                                     ActivationType{DataType::Int8}, ActivationType{DataType::Int16}};

constexpr std::array kForms{OperatorForm::Float32,
                            OperatorForm::FiniteMasks,
                            OperatorForm::DefaultActivations,
                            OperatorForm::GeluOperator,
                            OperatorForm::BoundedActivations,
                            OperatorForm::DivisionOfOne,
                            OperatorForm::DifferenceOfNumber,
                            OperatorForm::SumOfProducts,
                            OperatorForm::RemainderByDivision,
                            OperatorForm::PlainDeconvolution,
                            OperatorForm::OperandsInPairs,
                            OperatorForm::MaximumOfNumber,
                            OperatorForm::PlainAverages,
                            OperatorForm::NeutralStatistics,
                            OperatorForm::PlanePooling,
                            OperatorForm::PlainGemm};

std::span<const Target> targets();

using namespace rules;
using namespace rules::qnn;

constexpr std::array kRules{&kUserChoice,     &kMeasuredChoice, &kNodeUnits, &kNorms,        &kOneEncoding, &kIslands,
                            &kFixedEncodings, &kKnownRanges,    &kMasks,     &kFloatIslands, &kStates};

constexpr EngineDef kEngine{
    .id = Engine::Qnn,
    .name = "qnn",
    .title = "HTP",
    .family = "qnn",
    .page = "src/place/RULES.md#rules-of-qualcomms-htp",
    .targets = targets,
    .rules = kRules,
    .other_engine = "onnxruntime",
    .minimum_opset = 13,
    .newest_opset = 0,
    .takes_pairs = true,
    .whole_graph = true,
    .closes_outputs = true,
    .pairs_beside_foreign = true,
    .biases = BiasTypes::Int32OrFloat,
    .narrow_weights = false,
    .rescales_middle = false,
    .channel_scales_of_products = false,
    .uint8_single_scales = true,
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

constexpr std::array kTargets{Target{
    .engine = kEngine,
    .version_major = 1,
    .version_minor = 30,
    .variant = "",
    .activation = QuantType{.type = DataType::UInt8, .smallest_range = 1e-4F},
    .activation_types = kQnnActivations,
    .other_types = "HTP takes activations of 8 and 16 bits",
    .int8_weight_initializer = true,
    .default_axis_is_1 = true,
    .reads_uint8_as_int8 = false,
    .saturates_without_vnni = false,
    .pairs_taps_apart = false,
    .int8_deconvolutions = true,
    .concat_shares_scale = true,
    .operands_share_scale = false,
    .float_type = FloatType::Fp32,
    .fp8_refusal = "the QNN execution provider takes no FP8 pairs",
    .strongly_typed = false,
    .attention_kernels = std::span<const AttentionKernel>(),
}};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::qnn
