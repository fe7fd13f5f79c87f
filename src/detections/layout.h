#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "detent/base/tensor.h"

namespace detent {

/// How outputs hold detections.
enum class DetectionForm : uint8_t {
  XyxyScoreClass,  ///< [N, R, 6]: two corners in pixels, score, class; suppressed (YOLO26, YOLOv10)
  CxcywhScores,    ///< boxes and class scores joined, in rows or columns; not suppressed (YOLOv8, YOLO11, YOLOX)
  BoxesLogits,     ///< [N, Q, 4] boxes and [N, Q, C] scores, two outputs (DETR, SSD)
  /// [N, K, 4] two corners in pixels, [N, K] scores and [N, K] labels, suppressed; for one sample also without N
  /// (torchvision, exports with NonMaxSuppression)
  BoxesScoresLabels
};

struct DetectionFormName {
  DetectionForm form;
  std::string_view name;     ///< as --detections has it
  std::string_view outputs;  ///< for messages
};
inline constexpr std::array<DetectionFormName, 4> kDetectionForms = {
    {{DetectionForm::XyxyScoreClass, "xyxy-score-class", "[N,R,6] rows x1,y1,x2,y2,score,class"},
     {DetectionForm::CxcywhScores, "cxcywh-scores", "[N,4+C,A] cx,cy,w,h and class scores"},
     {DetectionForm::BoxesLogits, "boxes+logits", "[N,Q,4] cx,cy,w,h in 0..1 and [N,Q,C] logits"},
     {DetectionForm::BoxesScoresLabels, "boxes+scores+labels",
      "[N,K,4] or [K,4] x1,y1,x2,y2, [N,K] scores and labels"}}};

/// The outputs of a network that hold detections, and the meaning of their numbers. The members of other forms keep
/// their defaults.
struct DetectionLayout {
  DetectionForm form = DetectionForm::XyxyScoreClass;
  std::string boxes = {};      ///< output with the boxes
  std::string scores = {};     ///< the output with the scores, if that is another one
  std::string labels = {};     ///< BoxesScoresLabels: classes of the rows
  std::string count = {};      ///< BoxesScoresLabels: number of rows that count; "": all
  int64_t classes = 0;         ///< 0: the outputs do not tell
  int64_t axis = 1;            ///< CxcywhScores: the axis of boxes and scores, 1 or 2; the other one counts anchors
  bool objectness = false;     ///< CxcywhScores: one more score in front, which multiplies the others
  bool grid = false;           ///< CxcywhScores: offsets from cells of 8, 16 and 32 pixels, logarithms of sizes (YOLOX)
  bool probabilities = false;  ///< BoxesLogits: scores are no logits
  bool background = false;     ///< BoxesLogits: of a Softmax, one of whose columns is no class (NumberForm::no_object)
  bool suppressed = true;      ///< each object once: the network selects rows, or matches queries with objects

  /// True for the outputs that hold detections.
  [[nodiscard]] bool holds(std::string_view output) const {
    return !output.empty() && (output == boxes || output == scores || output == labels || output == count);
  }
  friend bool operator==(const DetectionLayout&, const DetectionLayout&) = default;
};

/// An output by name and shape.
struct NamedShape {
  std::string name;
  Shape shape;
  bool integers = false;  ///< by its type, or because it holds indices
};

/// Returns the layout of the first outputs that have the shapes of this form, with the numbers that kDetectionForms
/// names: corners or centres in pixels, logits. Labels are integers, or stand behind scores. nullopt when none has.
[[nodiscard]] std::optional<DetectionLayout> layout_of_form(DetectionForm form, std::span<const NamedShape> outputs);

/// Returns "output 'output0': 4 box coordinates and 3 class scores on axis 1, not suppressed".
/// nullopt -> "".
[[nodiscard]] std::string describe(const std::optional<DetectionLayout>& layout);

}  // namespace detent
