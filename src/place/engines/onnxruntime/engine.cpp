#include <array>

#include "place/engines/onnxruntime/rules.h"
#include "place/engines/target.h"
#include "place/rules/rules.h"

namespace detent::onnxruntime {
namespace {

constexpr std::string_view kFloatBetween =
    "ONNX Runtime's integer kernels take 8 bits only: its CPU provider computes between 16-bit pairs in float, with "
    "the accuracy of the codes and without their speed";
constexpr std::array kOnnxRuntimeActivations{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8},
                                             ActivationType{DataType::UInt16, kFloatBetween},
                                             ActivationType{DataType::Int16, kFloatBetween}};

// Behind a HardSwish stands a float Conv that takes such an activation in; behind a Shape stands the DequantizeLinear
// alone. Files whose cost was .5, .4 and .34 for each INT8 layer ran at .7, 1.0 and 1.0 times the speed of the float
// model; those of all others, .1 at most, gained (bench/README.md).
constexpr std::array kFloatBetweenPairs{FloatOperator{"HardSwish", 1}, FloatOperator{"HardSigmoid", 1},
                                        FloatOperator{"Shape", 0.25}};

std::span<const Target> targets();

using namespace rules;
using namespace rules::onnxruntime;

constexpr std::array kRules{
    &kUserChoice,  &kMeasuredChoice,      &kSignalFrontEnd,  &kRuinedProducts,  &kOneRowProducts,  &kResidualStream,
    &kDecoding,    &kDynamicLstm,         &kDynamicProducts, &kFewChannels,     &kLayers,          &kFloatDeconvolution,
    &kActivations, &kElementwise,         &kConcat,          &kPooling,         &kCopies,          &kKnownRanges,
    &kEveryReader, &kPartlyAbsorbedClips, &kHalfValues,      &kInt8Activations, &kWideActivations, &kStates,
    &kEmbeddings,  &kFloatWeights};

constexpr std::array kForms{OperatorForm::PlainGemm, OperatorForm::NearMasks};

constexpr EngineDef kEngine{
    .id = Engine::OnnxRuntime,
    .name = "onnxruntime",
    .title = "ONNX Runtime",
    .family = "onnxruntime",
    .page = "src/place/RULES.md#rules-of-onnx-runtime",
    .targets = targets,
    .rules = kRules,
    .other_engine = "tensorrt",
    .minimum_opset = 13,
    .newest_opset = 0,
    .takes_pairs = true,
    .whole_graph = false,
    .closes_outputs = false,
    .pairs_beside_foreign = true,
    .biases = BiasTypes::Int32OrFloat,
    .narrow_weights = false,
    .rescales_middle = false,
    .channel_scales_of_products = true,
    .uint8_single_scales = false,
    .blocks_divide_rows = false,
    .shortens_blocks = false,
    .int8_weights_alone = true,
    .packs_products = false,
    .gates_in_codes = true,
    .forms = kForms,
    .half_bias_codes = true,
    .runs_qoperators = true,
    .float32_scales = false,
    .half_scales_below_opset19 = false,
    .pairs_in_front_suffice = false,
    .fuses_residual_adds = false,
    .fuses_scaled_norms = false,
    .kernels_with_half_scales = false,
    .requantizes_at_concat = false,
    .gathers_codes = true,
    .beside_bf16 = "",
    .fast_in_half = false,
    .slow_between_pairs = kFloatBetweenPairs,
    .cache_version = nullptr,
    .half_risks = nullptr,
    .estimate = nullptr,
    .next_command = nullptr,
};

constexpr Target version(int minor, const ParserFacts& parser = {}) {
  return Target{
      .engine = kEngine,
      .version_major = 1,
      .version_minor = minor,
      .variant = "",
      .activation = QuantType{.type = DataType::UInt8},
      .activation_types = kOnnxRuntimeActivations,
      .other_types = "its DequantizeLinear takes no such codes",
      .int8_weight_initializer = true,
      .default_axis_is_1 = true,
      .reads_uint8_as_int8 = false,
      .saturates_without_vnni = true,
      .pairs_taps_apart = false,
      .int8_deconvolutions = false,
      .concat_shares_scale = true,
      .operands_share_scale = false,
      .float_type = FloatType::Fp32,
      .fp8_refusal =
          "layers between FP8 pairs do not load at its default optimization level "
          "(microsoft/onnxruntime, issue 22269), and it has no kernels for them",
      .strongly_typed = false,
      .attention_kernels = std::span<const AttentionKernel>(),
      .parser = parser,
  };
}

/// A version reads opsets up to `newest`. It refuses models of a newer one, and those of a newer ir_version than that
/// of the opset, whatever their operators are.
/// Source  releases 1.16.3 to 1.27.0 on PyPI, asked to load a Relu of each opset and ir_version; November 2026.
///         onnxruntime.ai/docs/reference/compatibility.html says which release of ONNX each was built with. Codes of 4
///         bits: 1.18.1 and 1.19.2, asked to load a DequantizeLinear of INT4; 1.18.1: "tensor(int4) is not currently
///         registered".
constexpr Target older_version(int minor, int64_t newest) {
  constexpr int kFirstWith4Bits = 19;
  return version(
      minor, ParserFacts{.newest_opset = newest, .refuses_newer = true, .codes_of_4_bits = minor >= kFirstWith4Bits});
}

constexpr std::array kTargets{version(30),           older_version(16, 19), older_version(17, 20),
                              older_version(18, 21), older_version(19, 21), older_version(21, 22),
                              older_version(23, 23), older_version(24, 25), older_version(25, 26)};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::onnxruntime
