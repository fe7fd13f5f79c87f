#include <array>
#include <filesystem>

#include "place/engines/tensorrt/fused_attention.h"
#include "place/engines/tensorrt/rules.h"
#include "place/engines/tensorrt_rtx/rules.h"
#include "place/rules/rules.h"

namespace detent::tensorrt_rtx {
namespace {

std::span<const Target> targets();

using namespace rules;
using namespace rules::tensorrt;
using namespace rules::tensorrt_rtx;

constexpr std::array kRules{&kUserChoice,      &kMeasuredChoice,     &kSignalFrontEnd,    &kResidualStream,
                            &kDecoding,        &kFloatDeconvolution, &kSmallLayers,       &kWeightedOps,
                            &kFusedActivation, &kUnfusedActivations, &kBatchNorm,         &kResidualAdd,
                            &kFp8Layers,       &kFusedAttention,     &kAttentionAndNorms, &kPoolingAndElementwise,
                            &kGraphOutputs,    &kKnownRanges,        &kCommutingOps,      &kConcat,
                            &kStates};

// Its command line tool has trtexec's options for files.
std::string next_command(const Target&, const NextCommand& next) {
  return "tensorrt_rtx --onnx=" + std::string(next.file) +
         " --saveEngine=" + std::filesystem::path(next.file).replace_extension(".engine").string();
}

constexpr EngineDef kEngine{
    .id = Engine::TensorRtRtx,
    .name = "tensorrt-rtx",
    .title = "TensorRT for RTX",
    .family = "tensorrt",
    .page = "src/place/RULES.md#rules-of-tensorrt-for-rtx",
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
    .int8_weights_alone = false,
    .packs_products = false,
    .gates_in_codes = false,
    .forms = std::span<const OperatorForm>(),
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
    .cache_version = nullptr,
    .half_risks = nullptr,
    .estimate = nullptr,
    .next_command = next_command,
};

constexpr std::array kActivations{ActivationType{DataType::Int8}};

// Parsed and typed as TensorRT 11. That its attention kernels are TensorRT's is an assumption.
constexpr std::array kTargets{Target{
    .engine = kEngine,
    .version_major = 1,
    .version_minor = 7,
    .variant = "",
    .activation = QuantType{.type = DataType::Int8},
    .activation_types = kActivations,
    .other_types = "its parser refuses zero points of other types, or reads them as INT8",
    .int8_weight_initializer = true,
    .default_axis_is_1 = true,
    .reads_uint8_as_int8 = true,
    .saturates_without_vnni = false,
    .pairs_taps_apart = false,
    .int8_deconvolutions = false,
    .concat_shares_scale = true,
    .operands_share_scale = false,
    .float_type = FloatType::Fp16,
    .fp8_refusal = "",
    .strongly_typed = true,
    .attention_kernels = detent::tensorrt::kAttentionOfRtx,
}};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::tensorrt_rtx
