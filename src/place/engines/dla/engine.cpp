#include <array>
#include <filesystem>

#include "place/engines/dla/dla_layers.h"
#include "place/engines/dla/rules.h"
#include "place/engines/target.h"
#include "place/engines/tensorrt/next_command.h"
#include "place/rules/rules.h"

namespace detent::dla {
namespace {

// DLA, the accelerator of Jetson and DRIVE. The list of its layers is in dla_layers.cpp.
constexpr std::array kFacts{
    SourcedFact{"up to TensorRT 10.7, DLA takes implicit quantization only: a float model and a calibration cache",
                "github.com/NVIDIA/Model-Optimizer/pull/1661, read 2026-11"},
    SourcedFact{
        "TensorRT 10.7 is the last of 10.x with DLA, and 11.0 to 11.3 have none; 11.4.1 has it on Jetson AGX Orin "
        "with JetPack 7.2.2 or later",
        "docs.nvidia.com/deeplearning/tensorrt/11.4.1/inference-library/work-with-dla.html, read 2026-11"},
    SourcedFact{"DLA of 11.4.1 is strongly typed: the types of the file decide, and there is no calibration cache",
                "docs.nvidia.com/deeplearning/tensorrt/11.4.1/inference-library/dla-strongly-typed-networks.html, read "
                "2026-11"},
    SourcedFact{"each value has one symmetric scale; sizes are fixed when the engine is built", kDlaSource},
    SourcedFact{"layers that it cannot run go to the GPU with --allowGPUFallback, without an error", kDlaSource},
};

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
    .pairs_beside_foreign = true,
    .biases = BiasTypes::FloatOnly,
    .narrow_weights = false,
    .channel_scales_of_products = true,
    .uint8_single_scales = false,
    .blocks_divide_rows = false,
    .shortens_blocks = false,
    .int8_weights_alone = true,
    .forms = std::span<const OperatorForm>(),
    .half_bias_codes = false,
    .runs_qoperators = false,
    .float32_scales = false,
    .half_scales_below_opset19 = true,
    .pairs_in_front_suffice = true,
    .fuses_residual_adds = false,
    .kernels_with_half_scales = true,
    .requantizes_at_concat = false,
    .gathers_codes = false,
    .beside_bf16 = "",
    .fast_in_half = false,
    .slow_between_pairs = std::span<const FloatOperator>(),
    .cache_version = detent::tensorrt::cache_version,
    .half_risks = nullptr,
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
    .facts = kFacts,
}};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::dla
