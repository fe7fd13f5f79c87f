#include <array>

#include "place/engines/qnn/rules.h"
#include "place/engines/target.h"
#include "place/rules/rules.h"

namespace detent::qnn {
namespace {

// Read in November 2026; no such processor was at hand.
constexpr std::string_view kHtpManual =
    "onnxruntime.ai/docs/execution-providers/QNN-ExecutionProvider.html; November 2026";
constexpr std::string_view kHtpSelectors =
    "github.com/microsoft/onnxruntime, "
    "core/optimizer/qdq_transformer/selectors_actions/{shared/utils,qdq_selectors}.cc; "
    "November 2026";
constexpr std::string_view kHtpBuilders =
    "github.com/microsoft/onnxruntime, core/providers/qnn/builder/opbuilder/*.cc; November 2026";
constexpr std::string_view kHtpConfig =
    "github.com/microsoft/onnxruntime, python/tools/quantization/execution_providers/qnn/quant_config.py; "
    "November 2026";
constexpr std::string_view kHtpAimet = "github.com/quic/aimet, htp_quantsim_config_v81.json; November 2026";

constexpr std::array kQnnFacts{
    SourcedFact{"the HTP backend takes quantized models with static shapes only; session.disable_cpu_ep_fallback=1 "
                "shows whether it takes all of one",
                kHtpManual},
    SourcedFact{"a node runs on HTP if every input comes from a DequantizeLinear, every output goes to a "
                "QuantizeLinear, and input and output have one type",
                kHtpSelectors},
    SourcedFact{"a Relu, and a Clip from 0 on, before a QuantizeLinear whose range begins at 0 is part of the node "
                "before it",
                kHtpSelectors},
    SourcedFact{"activations are uint8 or uint16 asymmetric, or int8 or int16 symmetric, one scale a tensor",
                kHtpConfig},
    SourcedFact{"weights are uint8 asymmetric with one scale or int8 symmetric with one a channel; weights of MatMul "
                "and of norms have one scale",
                kHtpBuilders},
    SourcedFact{"a Conv with int8 activations needs int8 weights", kHtpSelectors},
    SourcedFact{"the bias is INT32 with scale s_x * s_w and zero point 0", kHtpBuilders},
    SourcedFact{"Reshape, Transpose, Gather, MaxPool, Resize and other copies have one scale on both sides",
                kHtpBuilders},
    SourcedFact{"16-bit Sigmoid and Tanh have fixed scales", kHtpConfig},
    SourcedFact{"8-bit Sigmoid and Softmax write [0, 1], Tanh [-1, 1]", kHtpAimet},
    SourcedFact{"the range of an activation is at least 1e-4 wide", kHtpConfig},
    SourcedFact{
        "LSTM and GRU read codes of the type of activations on all inputs, weights and states too; no RNN, "
        "layout 1, clip, input_forget, written-out activations or sequences of different lengths",
        "github.com/onnxruntime/onnxruntime-qnn, core/providers/qnn/builder/opbuilder/{lstm,gru}_op_builder.cc; "
        "November 2026"},
    SourcedFact{"below opset 21 pairs of 16 bits are of domain com.microsoft", kHtpManual},
};

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
    .pairs_beside_foreign = true,
    .biases = BiasTypes::Int32OrFloat,
    .narrow_weights = false,
    .channel_scales_of_products = false,
    .uint8_single_scales = true,
    .blocks_divide_rows = false,
    .shortens_blocks = false,
    .int8_weights_alone = true,
    .forms = kForms,
    .half_bias_codes = false,
    .runs_qoperators = false,
    .float32_scales = true,
    .half_scales_below_opset19 = false,
    .pairs_in_front_suffice = false,
    .fuses_residual_adds = false,
    .kernels_with_half_scales = true,
    .requantizes_at_concat = false,
    .gathers_codes = false,
    .beside_bf16 = "",
    .fast_in_half = false,
    .slow_between_pairs = std::span<const FloatOperator>(),
    .cache_version = nullptr,
    .half_risks = nullptr,
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
    .facts = kQnnFacts,
}};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::qnn
