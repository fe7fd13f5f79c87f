#include "detections/layout.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/text.h"

namespace detent {

std::optional<DetectionLayout> layout_of_form(DetectionForm form, std::span<const NamedShape> outputs) {
  for (const auto& [name, shape] : outputs) {
    if (shape.rank() != 3) continue;
    switch (form) {
      case DetectionForm::XyxyScoreClass:
        if (shape[2] == 6) return DetectionLayout{.form = form, .boxes = name};
        break;
      case DetectionForm::CxcywhScores:
        if (shape[1] > 4)
          return DetectionLayout{.form = form, .boxes = name, .classes = shape[1] - 4, .suppressed = false};
        break;
      case DetectionForm::BoxesLogits:
        if (shape[2] != 4) break;
        for (const auto& [other, logits] : outputs)
          if (other != name && logits.rank() == 3 && logits[1] == shape[1])
            return DetectionLayout{.form = form, .boxes = name, .scores = other, .classes = logits[2]};
        break;
    }
  }
  return std::nullopt;
}

std::string describe(const std::optional<DetectionLayout>& found) {
  if (!found) return {};
  const DetectionLayout& layout = *found;
  const std::string_view suppressed = layout.suppressed ? "each object once" : "not suppressed";
  const std::string classes = plural(static_cast<size_t>(layout.classes), "class score");
  switch (layout.form) {
    case DetectionForm::XyxyScoreClass:
      return fmt::format("output '{}': rows of 4 box coordinates, score and class, {}", layout.boxes, suppressed);
    case DetectionForm::CxcywhScores:
      return fmt::format("output '{}': 4 box coordinates{}{} and {} on axis {}, {}", layout.boxes,
                         layout.grid ? " (not decoded)" : "", layout.objectness ? ", objectness" : "", classes,
                         layout.axis, suppressed);
    case DetectionForm::BoxesLogits: break;
  }
  return fmt::format("outputs '{}' and '{}': 4 box coordinates and {}{} a row, {}", layout.boxes, layout.scores,
                     classes, layout.probabilities ? "" : " (logits)", suppressed);
}

}  // namespace detent
