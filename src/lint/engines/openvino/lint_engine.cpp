#include <array>

#include "lint/engines/openvino/openvino_layers.h"
#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"
#include "place/engines/openvino/rules.h"
#include "place/rules/rules.h"

namespace detent::openvino {
namespace {

using namespace std::string_view_literals;

constexpr std::array kErrors{"scale-not-constant"sv, "scale-not-positive"sv, "fp8-refused-by-engine"sv,
                             "missing-axis"sv,       "wrong-axis"sv,         "q-and-dq-differ"sv,
                             "q-without-dq"sv,       "weight-without-dq"sv};
constexpr std::array kWarnings{"codes-not-8-bit"sv,        "fp8-on-float-operator"sv,
                               "cast-between-q-and-dq"sv,  "pair-between-conv-and-activation"sv,
                               "concat-scales-differ"sv,   "coarse-scores"sv,
                               "copy-scales-differ"sv,     "float-island"sv,
                               "saturates-without-vnni"sv, "layer-left-float"sv,
                               "opset-too-new"sv};
constexpr std::array kNotes{"layer-float-on-purpose"sv, "layer-float-by-rule"sv, "product-left-float"sv};
constexpr std::array kAbsent{"fp16-scale-below-opset-19"sv, "bias-scale"sv};

// A BatchNormalization behind a layer could be folded into it.
bool belongs_in_int8(const LintView& view, const EdgeDecision& edge) {
  if (edge.rule == &rules::batch_norm()) return !view.layer_writing(edge.value);
  return edge.rule == &rules::openvino::elementwise();
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
