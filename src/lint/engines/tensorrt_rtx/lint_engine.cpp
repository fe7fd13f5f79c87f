#include <fmt/core.h>

#include "lint/engines/tensorrt/levels.h"
#include "lint/engines/tensorrt/tensorrt_layers.h"

namespace detent::tensorrt_rtx {
namespace {

std::string obstacle(const LintView& view, NodeId layer) {
  if (view.facts().kind(layer) == OpKind::ConvTranspose)
    return fmt::format("TensorRT for RTX has no {} ConvTranspose", view.codes());
  return tensorrt_obstacle(view, layer);
}

constexpr LintEngine kLint{.levels = FindingLevels{.errors = tensorrt::kErrors,
                                                   .warnings = tensorrt::kWarnings,
                                                   .notes = tensorrt::kNotes,
                                                   .absent = tensorrt::kAbsent},
                           .obstacle = obstacle,
                           .belongs_in_int8 = tensorrt::belongs_in_int8,
                           .fp8_refused = FindingText{}};

}  // namespace

const LintEngine& lint_definition() { return kLint; }

}  // namespace detent::tensorrt_rtx
