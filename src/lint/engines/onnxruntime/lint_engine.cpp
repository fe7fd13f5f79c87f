#include "lint/view/lint_engine.h"
#include "lint/engines/onnxruntime/levels.h"
#include "lint/engines/onnxruntime/onnxruntime_layers.h"
#include "lint/view/lint_view.h"

namespace detent::onnxruntime {

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

namespace {

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
