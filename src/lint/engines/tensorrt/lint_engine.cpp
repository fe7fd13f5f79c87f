#include <array>

#include "lint/engines/tensorrt/tensorrt_layers.h"
#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"
#include "place/engines/tensorrt/rules.h"
#include "place/rules/rules.h"

namespace detent::tensorrt {
namespace {

using namespace std::string_view_literals;

constexpr std::array kErrors{"integer-operators"sv,
                             "scale-not-constant"sv,
                             "scale-not-positive"sv,
                             "missing-zero-point"sv,
                             "uint8-codes"sv,
                             "int16-codes"sv,
                             "fp8-refused-by-engine"sv,
                             "nonzero-zero-point"sv,
                             "per-channel-activation"sv,
                             "missing-axis"sv,
                             "wrong-axis"sv,
                             "int32-bias"sv,
                             "int8-weight-initializer"sv,
                             "q-and-dq-differ"sv,
                             "q-without-dq"sv,
                             "weight-without-dq"sv,
                             "blocked-axis"sv,
                             "odd-nibbles"sv,
                             "scale-type-mixed"sv};
constexpr std::array kWarnings{"uint8-zero-point"sv,
                               "codes-not-8-bit"sv,
                               "fp8-on-float-operator"sv,
                               "cast-between-q-and-dq"sv,
                               "deconvolution-3d-not-closed"sv,
                               "batchnorm-behind-deconvolution"sv,
                               "skip-not-quantized"sv,
                               "pair-between-conv-and-add"sv,
                               "pair-between-conv-and-activation"sv,
                               "concat-scales-differ"sv,
                               "coarse-scores"sv,
                               "copy-scales-differ"sv,
                               "float-island"sv,
                               "attention-not-fused"sv,
                               "layer-left-float"sv,
                               "cast-between-pair-and-kernel"sv,
                               "overflow-in-half"sv,
                               "vanishing-constant"sv,
                               "float32-rest"sv};
constexpr std::array kNotes{"fp16-scale-below-opset-19"sv, "layer-float-on-purpose"sv, "layer-float-by-rule"sv,
                            "attention-order"sv,           "product-left-float"sv,     "concat-input-from-float"sv,
                            "stem-conv-maxpool"sv,         "depthwise-silu"sv,         "leaky-relu-not-closed"sv};
constexpr std::array kAbsent{"bias-scale"sv, "saturates-without-vnni"sv};

// A BatchNormalization behind a layer could be folded into it.
bool belongs_in_int8(const LintView& view, const EdgeDecision& edge) {
  if (edge.rule == &rules::batch_norm()) return !view.layer_writing(edge.value);
  return edge.rule == &rules::tensorrt::pooling_and_elementwise();
}

std::string obstacle(const LintView& view, NodeId layer) { return tensorrt_obstacle(view, layer); }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = kErrors, .warnings = kWarnings, .notes = kNotes, .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = belongs_in_int8,
    .fp8_refused = FindingText{}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::tensorrt
