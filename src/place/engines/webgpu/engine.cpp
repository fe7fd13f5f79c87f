#include <array>

#include "place/engines/target.h"
#include "place/engines/webgpu/rules.h"
#include "place/rules/rules.h"

namespace detent::webgpu {
namespace {

constexpr std::array kTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8}};

std::span<const Target> targets();

using namespace rules;
using namespace rules::webgpu;

constexpr std::array kRules{&kUserChoice, &kMeasuredChoice, &kFloatKernels, &kFloatWeights};

constexpr EngineDef kEngine{
    .id = Engine::WebGpu,
    .name = "web",
    .title = "WebGPU",
    .family = "webgpu",
    .page = "src/place/RULES.md#rules-of-webgpu",
    .targets = targets,
    .rules = kRules,
    .other_engine = "onnxruntime",
    .minimum_opset = 13,
    .newest_opset = 0,
    .takes_pairs = true,
    .whole_graph = false,
    .closes_outputs = false,
    .pairs_beside_foreign = true,
    .biases = BiasTypes::FloatOnly,
    .narrow_weights = false,
    .channel_scales_of_products = true,
    .uint8_single_scales = false,
    .blocks_divide_rows = false,
    .shortens_blocks = false,
    .int8_weights_alone = true,
    .packs_products = true,
    .gates_in_codes = false,
    .forms = std::span<const OperatorForm>(),
    .half_bias_codes = false,
    .runs_qoperators = false,
    .float32_scales = false,
    .half_scales_below_opset19 = false,
    .pairs_in_front_suffice = false,
    .fuses_residual_adds = false,
    .fuses_scaled_norms = false,
    .kernels_with_half_scales = false,
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
    .variant = "webgpu",
    .activation = QuantType{.type = DataType::UInt8},
    .activation_types = kTypes,
    .other_types = "its DequantizeLinear takes no such codes",
    .int8_weight_initializer = true,
    .default_axis_is_1 = true,
    .reads_uint8_as_int8 = false,
    .saturates_without_vnni = false,
    .pairs_taps_apart = false,
    .int8_deconvolutions = false,
    .concat_shares_scale = true,
    .operands_share_scale = false,
    .float_type = FloatType::Fp32,
    .fp8_refusal = "it has no kernels for them",
    .strongly_typed = false,
    .attention_kernels = std::span<const AttentionKernel>(),
    .parser = {.newest_opset = 26},  // tried: 27 is refused
}};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::webgpu
