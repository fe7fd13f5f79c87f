#include "lint/view/lint_engine.h"
#include "lint/engines/qnn/qnn_units.h"
#include "lint/view/lint_view.h"

namespace detent::qnn {
namespace {

constexpr std::string_view kErrors =
    "scale-not-constant scale-not-positive missing-axis wrong-axis q-and-dq-differ q-without-dq "
    "cast-between-q-and-dq operator-between-q-and-dq copy-scales-differ htp-control-flow htp-open-shape htp-float-unit "
    "htp-mixed-types "
    "htp-per-channel";
constexpr std::string_view kWarnings = "bias-scale htp-no-kernel";
constexpr std::string_view kAbsent =
    "codes-not-8-bit fp8-refused-by-engine fp8-on-float-operator fp16-scale-below-opset-19 weight-without-dq "
    "pair-between-conv-and-activation concat-scales-differ coarse-scores float-island saturates-without-vnni "
    "layer-left-float layer-float-on-purpose layer-float-by-rule product-left-float";

std::string obstacle(const LintView& view, NodeId layer) { return qnn_unit_obstacle(view, view.node(layer)); }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = kErrors, .warnings = kWarnings, .notes = "", .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = nullptr,
    .fp8_refused = FindingText{}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::qnn
