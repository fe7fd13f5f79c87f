#include <array>
#include <filesystem>

#include "place/engines/dla/rules.h"
#include "place/engines/target.h"
#include "place/engines/tensorrt/next_command.h"
#include "place/rules/rules.h"

namespace detent::dla {
namespace {

// The arguments of trtexec, a file beside the model, name its calibration cache.
std::string next_command(const Target&, const NextCommand& next) {
  return "grep '^--' " + std::filesystem::path(next.file).replace_extension(".dla.txt").string() +
         " | xargs trtexec, in the folder of the file";
}

std::span<const Target> targets();

using namespace rules;
using namespace rules::dla;

constexpr std::array kRules{&kUserChoice, &kMeasuredChoice, &kDecoding, &kLayers, &kKnownRanges, &kScales};

constexpr EngineDef kEngine{
    .id = Engine::Dla,
    .name = "tensorrt",
    .title = "DLA",
    .family = "dla",
    .page = "src/place/RULES.md#rules-of-dla",
    .targets = targets,
    .rules = kRules,
    .other_engine = "onnxruntime",
    .minimum_opset = 13,
    .newest_opset = 0,
    .takes_pairs = false,
    .whole_graph = false,
    .closes_outputs = false,
    .pairs_beside_foreign = true,
    .biases = BiasTypes::FloatOnly,
    .narrow_weights = false,
    .rescales_middle = false,
    .channel_scales_of_products = true,
    .uint8_single_scales = false,
    .blocks_divide_rows = false,
    .shortens_blocks = false,
    .int8_weights_alone = true,
    .packs_products = false,
    .gates_in_codes = false,
    .forms = std::span<const OperatorForm>(),
    .half_bias_codes = false,
    .runs_qoperators = false,
    .float32_scales = false,
    .half_scales_below_opset19 = true,
    .pairs_in_front_suffice = true,
    .fuses_residual_adds = false,
    .fuses_scaled_norms = false,
    .kernels_with_half_scales = true,
    .requantizes_at_concat = false,
    .gathers_codes = false,
    .beside_bf16 = "",
    .fast_in_half = false,
    .slow_between_pairs = std::span<const FloatOperator>(),
    .cache_version = detent::tensorrt::cache_version,
    .half_risks = nullptr,
    .estimate = nullptr,
    .next_command = next_command,
};

constexpr std::array kActivations{ActivationType{DataType::Int8}};

constexpr std::array kTargets{Target{
    .engine = kEngine,
    .version_major = 10,
    .version_minor = 7,
    .variant = "dla",
    .activation = QuantType{.type = DataType::Int8},
    .activation_types = kActivations,
    .other_types = "its parser refuses zero points of other types, or reads them as INT8",
    .int8_weight_initializer = true,
    .default_axis_is_1 = true,
    .reads_uint8_as_int8 = false,
    .saturates_without_vnni = false,
    .pairs_taps_apart = false,
    .int8_deconvolutions = true,
    .concat_shares_scale = true,
    .operands_share_scale = false,
    .float_type = FloatType::Fp32,
    .fp8_refusal = "DLA has INT8 and FP16",
    .strongly_typed = false,
    .attention_kernels = std::span<const AttentionKernel>(),
}};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::dla
