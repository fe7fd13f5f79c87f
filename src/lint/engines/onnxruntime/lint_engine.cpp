#include <array>

#include "lint/engines/onnxruntime/onnxruntime_layers.h"
#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"

namespace detent::onnxruntime {
namespace {

using namespace std::string_view_literals;

constexpr std::array kErrors{"scale-not-constant"sv, "scale-not-positive"sv, "fp8-refused-by-engine"sv,
                             "missing-axis"sv,       "wrong-axis"sv,         "fp16-scale-below-opset-19"sv,
                             "q-and-dq-differ"sv,    "q-without-dq"sv,       "weight-without-dq"sv,
                             "refused-activation"sv, "ignored-bias-scale"sv};
constexpr std::array kWarnings{"codes-not-8-bit"sv,
                               "fp8-on-float-operator"sv,
                               "cast-between-q-and-dq"sv,
                               "bias-scale"sv,
                               "clip-before-int8-q"sv,
                               "shared-int8-pair"sv,
                               "pair-between-conv-and-activation"sv,
                               "coarse-scores"sv,
                               "copy-scales-differ"sv,
                               "float-island"sv,
                               "saturates-without-vnni"sv,
                               "int4-not-fused"sv,
                               "layer-left-float"sv};
constexpr std::array kNotes{"activations-of-16-bits"sv, "layer-float-on-purpose"sv, "layer-float-by-rule"sv,
                            "product-left-float"sv};
constexpr std::array kAbsent{"concat-scales-differ"sv};

// True for operators without weights that have an integer kernel. Copies follow their neighbours.
bool belongs_in_int8(const LintView& view, const EdgeDecision& edge) {
  switch (view.found().kind(edge.consumer)) {
    case OpKind::LeakyRelu:
    case OpKind::Sigmoid:
    case OpKind::Add:
    case OpKind::Mul:
    case OpKind::Concat:
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool: return true;
    default: return false;
  }
}

std::string obstacle(const LintView& view, NodeId layer) { return onnxruntime_obstacle(view, layer); }

constexpr LintEngine kLint{
    .levels = FindingLevels{.errors = kErrors, .warnings = kWarnings, .notes = kNotes, .absent = kAbsent},
    .obstacle = obstacle,
    .belongs_in_int8 = belongs_in_int8,
    .fp8_refused = FindingText{
        "ONNX Runtime has no FP8 kernels on a CPU: at its default optimization level it does not load layers between "
        "FP8 pairs, and drops a Relu in front of one",
        "run it at optimization level basic, in float, or quantize with --type int8"}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::onnxruntime
