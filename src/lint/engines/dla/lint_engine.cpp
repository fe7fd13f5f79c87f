#include <array>

#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"

namespace detent::dla {
namespace {

using namespace std::string_view_literals;

constexpr std::array kErrors{"pairs-for-dla"sv};
constexpr std::array kAbsent{"scale-not-constant"sv,
                             "scale-not-positive"sv,
                             "codes-not-8-bit"sv,
                             "fp8-refused-by-engine"sv,
                             "fp8-on-float-operator"sv,
                             "missing-axis"sv,
                             "wrong-axis"sv,
                             "fp16-scale-below-opset-19"sv,
                             "q-and-dq-differ"sv,
                             "q-without-dq"sv,
                             "cast-between-q-and-dq"sv,
                             "weight-without-dq"sv,
                             "bias-scale"sv,
                             "pair-between-conv-and-activation"sv,
                             "concat-scales-differ"sv,
                             "coarse-scores"sv,
                             "copy-scales-differ"sv,
                             "float-island"sv,
                             "saturates-without-vnni"sv,
                             "layer-left-float"sv,
                             "layer-float-on-purpose"sv,
                             "layer-float-by-rule"sv,
                             "product-left-float"sv};

std::string obstacle(const LintView&, NodeId) { return "DLA takes no pairs"; }

constexpr LintEngine kLint{.levels = FindingLevels{.errors = kErrors,
                                                   .warnings = std::span<const std::string_view>(),
                                                   .notes = std::span<const std::string_view>(),
                                                   .absent = kAbsent},
                           .obstacle = obstacle,
                           .belongs_in_int8 = nullptr,
                           .fp8_refused = FindingText{}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::dla
