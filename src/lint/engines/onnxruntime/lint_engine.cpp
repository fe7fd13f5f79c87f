#include "lint/view/lint_engine.h"
#include "lint/engines/onnxruntime/onnxruntime_layers.h"
#include "lint/view/lint_view.h"

namespace detent::onnxruntime {
namespace {

constexpr std::string_view kErrors =
    "scale-not-constant scale-not-positive fp8-refused-by-engine missing-axis wrong-axis "
    "fp16-scale-below-opset-19 q-and-dq-differ q-without-dq weight-without-dq refused-activation "
    "scale-not-scalar ignored-bias-scale copied-int8-pair opset-too-new";
constexpr std::string_view kWarnings =
    "joined-pairs codes-not-8-bit fp8-on-float-operator cast-between-q-and-dq bias-scale clip-before-int8-q "
    "shared-int8-pair "
    "pair-between-conv-and-activation coarse-scores copy-scales-differ float-island saturates-without-vnni "
    "int4-not-fused layer-left-float";
constexpr std::string_view kNotes =
    "activations-of-16-bits operator-between-q-and-dq layer-float-on-purpose layer-float-by-rule product-left-float";
constexpr std::string_view kAbsent = "concat-scales-differ";

// True for operators without weights that have an integer kernel. Copies follow their neighbours.
bool belongs_in_int8(const LintView& view, const EdgeDecision& edge) {
  switch (view.facts().kind(edge.consumer)) {
    case OpKind::LeakyRelu:
    case OpKind::Sigmoid:
    case OpKind::Add:
    case OpKind::Mul:
    case OpKind::Concat:
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool: return true;
    default: return false;
  }
}

std::string obstacle(const LintView& view, NodeId layer) { return onnxruntime_obstacle(view, layer); }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = kErrors, .warnings = kWarnings, .notes = kNotes, .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = belongs_in_int8,
    .fp8_refused = FindingText{
        "ONNX Runtime has no FP8 kernels on a CPU: at its default optimization level it does not load layers between "
        "FP8 pairs, and drops a Relu in front of one",
        "run it at optimization level basic, in float, or quantize with --type int8"}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::onnxruntime
