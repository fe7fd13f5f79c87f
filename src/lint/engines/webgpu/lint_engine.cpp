#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"

namespace detent::webgpu {
namespace {

constexpr std::string_view kErrors =
    "scale-not-constant scale-not-positive missing-axis wrong-axis q-and-dq-differ q-without-dq fp8-refused-by-engine "
    "weight-without-dq";
constexpr std::string_view kWarnings =
    "quantized-on-cpu fp8-on-float-operator codes-not-8-bit cast-between-q-and-dq pair-between-conv-and-activation "
    "coarse-scores copy-scales-differ float-island layer-left-float";
constexpr std::string_view kNotes = "layer-float-on-purpose layer-float-by-rule product-left-float";
constexpr std::string_view kAbsent =
    "fp16-scale-below-opset-19 operator-between-q-and-dq bias-scale concat-scales-differ saturates-without-vnni";

std::string obstacle(const LintView&, NodeId) { return "WebGPU computes all layers in float"; }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = kErrors, .warnings = kWarnings, .notes = kNotes, .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = nullptr,
    .fp8_refused = FindingText{"WebGPU has no FP8 kernels", "quantize with --type int8"}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::webgpu
