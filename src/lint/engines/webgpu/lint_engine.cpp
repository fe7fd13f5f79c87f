#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"

namespace detent::webgpu {
namespace {

constexpr std::string_view kErrors =
    "scale-not-constant scale-not-positive missing-axis wrong-axis q-and-dq-differ q-without-dq fp8-refused-by-engine";
constexpr std::string_view kWarnings = "quantized-on-cpu fp8-on-float-operator";
constexpr std::string_view kAbsent =
    "codes-not-8-bit fp16-scale-below-opset-19 cast-between-q-and-dq operator-between-q-and-dq weight-without-dq "
    "bias-scale pair-between-conv-and-activation concat-scales-differ coarse-scores copy-scales-differ float-island "
    "saturates-without-vnni layer-left-float layer-float-on-purpose layer-float-by-rule product-left-float";

std::string obstacle(const LintView&, NodeId) { return "WebGPU computes all layers in float"; }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = kErrors, .warnings = kWarnings, .notes = "", .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = nullptr,
    .fp8_refused = FindingText{"WebGPU has no FP8 kernels", "quantize with --type int8"}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::webgpu
