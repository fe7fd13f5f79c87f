#include "detections/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "core/text.h"

namespace detent {

namespace {

/// Finds scores and labels of as many rows as there are boxes, and the number of rows that count.
std::optional<DetectionLayout> rows_of(const NamedShape& boxes, std::span<const NamedShape> outputs) {
  const size_t rank = boxes.shape.rank();
  if ((rank != 2 && rank != 3) || boxes.integers || boxes.shape[rank - 1] != 4) return std::nullopt;
  std::vector<int64_t> extents(boxes.shape.dims().begin(), boxes.shape.dims().end());
  extents.pop_back();
  DetectionLayout layout{.form = DetectionForm::BoxesScoresLabels, .boxes = boxes.name};
  for (const NamedShape& one : outputs) {
    if (one.shape == Shape(extents)) {
      std::string& name = one.integers || !layout.scores.empty() ? layout.labels : layout.scores;
      if (!name.empty()) return std::nullopt;
      name = one.name;
    } else if (rank == 3 && one.shape.rank() > 0 && one.shape[0] == extents[0] &&
               one.shape.element_count() == extents[0]) {
      layout.count = one.name;
    }
  }
  return layout.scores.empty() || layout.labels.empty() ? std::nullopt : std::optional(layout);
}

}  // namespace

std::optional<DetectionLayout> layout_of_form(DetectionForm form, std::span<const NamedShape> outputs) {
  if (form == DetectionForm::BoxesScoresLabels) {
    for (const NamedShape& boxes : outputs)
      if (auto layout = rows_of(boxes, outputs)) return layout;
    return std::nullopt;
  }
  for (const auto& [name, shape, integers] : outputs) {
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
        for (const auto& [other, logits, whole] : outputs)
          if (other != name && logits.rank() == 3 && logits[1] == shape[1])
            return DetectionLayout{.form = form, .boxes = name, .scores = other, .classes = logits[2]};
        break;
      case DetectionForm::BoxesScoresLabels: break;
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
    case DetectionForm::BoxesScoresLabels:
      return fmt::format("outputs '{}', '{}' and '{}': 4 box coordinates, score and class a row, {}", layout.boxes,
                         layout.scores, layout.labels, suppressed);
    case DetectionForm::BoxesLogits: break;
  }
  return fmt::format("outputs '{}' and '{}': 4 box coordinates and {}{} a row, {}", layout.boxes, layout.scores,
                     classes, layout.probabilities ? "" : " (logits)", suppressed);
}

}  // namespace detent
