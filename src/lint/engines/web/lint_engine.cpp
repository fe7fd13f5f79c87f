#include "lint/view/lint_engine.h"
#include "lint/engines/onnxruntime/levels.h"
#include "lint/engines/onnxruntime/onnxruntime_layers.h"
#include "lint/view/lint_view.h"

namespace detent::web {
namespace {

// Its graph passes are those of the native engine.
std::string obstacle(const LintView& view, NodeId layer) { return onnxruntime_obstacle(view, layer); }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = onnxruntime::kErrors,
                            .warnings = onnxruntime::kWarnings,
                            .notes = onnxruntime::kNotes,
                            .absent = onnxruntime::kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = onnxruntime::belongs_in_int8,
    .fp8_refused = FindingText{"ONNX Runtime Web has no FP8 kernels", "quantize with --type int8"}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::web
