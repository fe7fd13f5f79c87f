#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detections/detection.h"
#include "detent/base/tensor.h"

namespace detent {

/// How outputs hold detections.
enum class DetectionForm : uint8_t {
  XyxyScoreClass,  ///< [N, R, 6]: two corners in pixels, score, class; suppressed (YOLO26, YOLOv10)
  CxcywhScores,    ///< [N, 4 + C, A]: centre and size in pixels, class scores; not suppressed (YOLOv8, YOLO11)
  BoxesLogits      ///< [N, Q, 4] centre and size in 0..1, and [N, Q, C] logits; not suppressed, needs it not (DETR)
};

struct DetectionFormName {
  DetectionForm form;
  std::string_view name;     ///< as --detections has it
  std::string_view outputs;  ///< for messages
};
inline constexpr std::array<DetectionFormName, 3> kDetectionForms = {
    {{DetectionForm::XyxyScoreClass, "xyxy-score-class", "[N,R,6] rows x1,y1,x2,y2,score,class"},
     {DetectionForm::CxcywhScores, "cxcywh-scores", "[N,4+C,A] cx,cy,w,h and class scores"},
     {DetectionForm::BoxesLogits, "boxes+logits", "[N,Q,4] cx,cy,w,h in 0..1 and [N,Q,C] logits"}}};

/// Height and width of a network's input in pixels.
struct InputSize {
  int64_t height = 0, width = 0;
};

/// Reads the detections of several samples.
class DetectionReader {
 public:
  /// Finds the outputs by their shapes; axis 0 counts `samples`. form  nullopt: the first form that fits, and whose
  /// numbers can be boxes and scores (probabilities are no logits).
  /// Returns nullopt where there is none.
  [[nodiscard]] static std::optional<DetectionReader> of(std::span<const Tensor> outputs, int64_t samples,
                                                         std::optional<DetectionForm> form);

  /// Returns at most the 100 highest scores of one sample, the highest first. input  for boxes in 0..1.
  [[nodiscard]] std::vector<Detection> read(int64_t sample, InputSize input) const;
  [[nodiscard]] DetectionForm form() const { return form_; }

 private:
  DetectionReader(DetectionForm form, Tensor boxes, Tensor scores);

  DetectionForm form_;
  Tensor boxes_, scores_;  // float; scores_ of BoxesLogits alone
};

}  // namespace detent
