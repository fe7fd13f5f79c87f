#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detections/detection.h"
#include "detections/layout.h"
#include "detent/base/tensor.h"

namespace detent {

/// Height and width of a network's input in pixels.
struct InputSize {
  int64_t height = 0, width = 0;
};

/// Returns the size of the first image among a model's inputs, channels in front or behind; 0 without one.
[[nodiscard]] InputSize input_size(std::span<const Tensor> inputs);

/// The lowest score that ultralytics validates with.
inline constexpr float kLeastScore = 0.001F;

/// Reads the detections of several samples.
class DetectionReader {
 public:
  /// Finds the outputs of a layout by name; axis 0 counts `samples`. Without labels all rows have one class.
  /// Returns nullopt where they have other shapes.
  [[nodiscard]] static std::optional<DetectionReader> of(const DetectionLayout& layout,
                                                         std::span<const std::string> names,
                                                         std::span<const Tensor> outputs, int64_t samples);

  /// Returns at most the 100 highest scores of one sample, the highest first. input  for boxes in 0..1 and for cells.
  /// above  boxes that the network does not select are suppressed among those with a higher score.
  [[nodiscard]] std::vector<Detection> read(int64_t sample, InputSize input, float above = kLeastScore) const;
  /// True when boxes are corners: in all rows the second one lies behind the first. The boxes of a float model decide
  /// for its candidates (set_corners).
  [[nodiscard]] bool corners() const { return corners_; }
  void set_corners(bool corners) { corners_ = corners; }

 private:
  DetectionReader(const DetectionLayout& layout, Tensor boxes, Tensor scores, Tensor labels, Tensor count);

  [[nodiscard]] std::vector<Detection> suppressed_rows(int64_t sample) const;
  [[nodiscard]] std::vector<Detection> joined_rows(int64_t sample, InputSize input, float above) const;
  [[nodiscard]] std::vector<Detection> separate_rows(int64_t sample, InputSize input, float above) const;
  [[nodiscard]] std::vector<Detection> selected_rows(int64_t sample) const;
  [[nodiscard]] bool has_corners() const;

  DetectionLayout layout_;
  Tensor boxes_, scores_, labels_, count_;  // float, with the samples in front; empty where the form has none
  bool corners_ = false;
};

}  // namespace detent
