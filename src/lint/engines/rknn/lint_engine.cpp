#include "lint/view/lint_engine.h"
#include "lint/engines/qnn/qnn_units.h"
#include "lint/view/lint_view.h"
#include "place/engines/rknn/npu_nodes.h"
#include "place/engines/rknn/rules.h"

namespace detent::rknn {
namespace {

constexpr std::string_view kErrors =
    "scale-not-constant scale-not-positive codes-not-8-bit fp8-refused-by-engine missing-axis wrong-axis "
    "q-and-dq-differ q-without-dq weight-without-dq opset-too-new";
constexpr std::string_view kWarnings =
    "bias-scale cast-between-q-and-dq operator-between-q-and-dq copy-scales-differ "
    "fp8-on-float-operator coarse-scores float-island layer-left-float";
constexpr std::string_view kNotes =
    "layer-float-on-purpose layer-float-by-rule product-left-float rknn-not-built "
    "rknn-open-shape";
constexpr std::string_view kAbsent =
    "fp16-scale-below-opset-19 pair-between-conv-and-activation saturates-without-vnni concat-scales-differ";

// A pair that closes a node stands in front of float readers, too.
bool belongs_in_int8(const LintView& view, const EdgeDecision& edge) {
  return edge.rule == &rules::rknn::kLayers && runs_on_npu(view.facts(), view.wanted(), view.node(edge.consumer));
}

std::string obstacle(const LintView& view, NodeId layer) { return qnn_unit_obstacle(view, view.node(layer)); }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = kErrors, .warnings = kWarnings, .notes = kNotes, .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = belongs_in_int8,
    .fp8_refused = FindingText{}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::rknn
