#include "lint/view/lint_engine.h"
#include "lint/engines/openvino/openvino_layers.h"
#include "lint/view/lint_view.h"
#include "place/engines/openvino/rules.h"
#include "place/rules/rules.h"

namespace detent::openvino {
namespace {

constexpr std::string_view kErrors =
    "scale-not-constant scale-not-positive fp8-refused-by-engine missing-axis wrong-axis q-and-dq-differ "
    "q-without-dq weight-without-dq blocked-axis odd-rows computed-otherwise";
constexpr std::string_view kWarnings =
    "codes-not-8-bit fp8-on-float-operator cast-between-q-and-dq pair-between-conv-and-activation "
    "concat-scales-differ coarse-scores copy-scales-differ float-island saturates-without-vnni layer-left-float "
    "opset-too-new open-time-axis";
constexpr std::string_view kNotes =
    "operator-between-q-and-dq layer-float-on-purpose layer-float-by-rule product-left-float";
constexpr std::string_view kAbsent = "fp16-scale-below-opset-19 bias-scale";

// A BatchNormalization behind a layer could be folded into it.
bool belongs_in_int8(const LintView& view, const EdgeDecision& edge) {
  if (edge.rule == &rules::kBatchNorm) return !view.layer_writing(edge.value);
  return edge.rule == &rules::openvino::kElementwise;
}

std::string obstacle(const LintView& view, NodeId layer) { return openvino_obstacle(view, layer); }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = kErrors, .warnings = kWarnings, .notes = kNotes, .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = belongs_in_int8,
    .fp8_refused = FindingText{}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::openvino
