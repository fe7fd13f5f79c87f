#include <array>

#include "lint/engines/qnn/qnn_units.h"
#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"

namespace detent::qnn {
namespace {

using namespace std::string_view_literals;

constexpr std::array kErrors{
    "scale-not-constant"sv, "scale-not-positive"sv, "missing-axis"sv,          "wrong-axis"sv,
    "q-and-dq-differ"sv,    "q-without-dq"sv,       "cast-between-q-and-dq"sv, "copy-scales-differ"sv,
    "htp-control-flow"sv,   "htp-open-shape"sv,     "htp-float-unit"sv,        "htp-mixed-types"sv,
    "htp-per-channel"sv};
constexpr std::array kWarnings{"bias-scale"sv};
constexpr std::array kAbsent{
    "codes-not-8-bit"sv,           "fp8-refused-by-engine"sv, "fp8-on-float-operator"sv,
    "fp16-scale-below-opset-19"sv, "weight-without-dq"sv,     "pair-between-conv-and-activation"sv,
    "concat-scales-differ"sv,      "coarse-scores"sv,         "float-island"sv,
    "saturates-without-vnni"sv,    "layer-left-float"sv,      "layer-float-on-purpose"sv,
    "layer-float-by-rule"sv,       "product-left-float"sv};

std::string obstacle(const LintView& view, NodeId layer) { return qnn_unit_obstacle(view, view.node(layer)); }

constexpr LintEngine kLint{
    .levels =
        FindingLevels{
            .errors = kErrors, .warnings = kWarnings, .notes = std::span<const std::string_view>(), .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = nullptr,
    .fp8_refused = FindingText{}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::qnn
