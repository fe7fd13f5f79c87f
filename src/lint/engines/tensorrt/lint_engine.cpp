#include "lint/view/lint_engine.h"
#include "lint/engines/tensorrt/levels.h"
#include "lint/engines/tensorrt/tensorrt_layers.h"
#include "lint/view/lint_view.h"
#include "place/engines/tensorrt/rules.h"
#include "place/rules/rules.h"

namespace detent::tensorrt {

// A BatchNormalization behind a layer could be folded into it.
bool belongs_in_int8(const LintView& view, const EdgeDecision& edge) {
  if (edge.rule == &rules::kBatchNorm) return !view.layer_writing(edge.value);
  return edge.rule == &rules::tensorrt::kPoolingAndElementwise;
}

namespace {

std::string obstacle(const LintView& view, NodeId layer) { return tensorrt_obstacle(view, layer); }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = kErrors, .warnings = kWarnings, .notes = kNotes, .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = belongs_in_int8,
    .fp8_refused = FindingText{}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::tensorrt
