#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"

namespace detent::dla {
namespace {

constexpr std::string_view kErrors = "pairs-for-dla";
constexpr std::string_view kAbsent =
    "scale-not-constant scale-not-positive codes-not-8-bit fp8-refused-by-engine fp8-on-float-operator "
    "missing-axis wrong-axis fp16-scale-below-opset-19 q-and-dq-differ q-without-dq cast-between-q-and-dq "
    "operator-between-q-and-dq "
    "weight-without-dq bias-scale pair-between-conv-and-activation concat-scales-differ coarse-scores "
    "copy-scales-differ float-island saturates-without-vnni layer-left-float layer-float-on-purpose "
    "layer-float-by-rule product-left-float";

std::string obstacle(const LintView&, NodeId) { return "DLA takes no pairs"; }

constexpr LintEngine kLint{.levels = FindingLevels{.errors = kErrors, .warnings = "", .notes = "", .absent = kAbsent},
                           .obstacle = obstacle,
                           .belongs_in_int8 = nullptr,
                           .fp8_refused = FindingText{}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::dla
