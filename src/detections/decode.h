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

/// Reads the detections of several samples.
class DetectionReader {
 public:
  /// Finds the outputs of a layout by name; axis 0 counts `samples`.
  /// Returns nullopt where they have other shapes.
  [[nodiscard]] static std::optional<DetectionReader> of(const DetectionLayout& layout,
                                                         std::span<const std::string> names,
                                                         std::span<const Tensor> outputs, int64_t samples);

  /// Returns at most the 100 highest scores of one sample, the highest first. input  for boxes in 0..1 and for cells.
  [[nodiscard]] std::vector<Detection> read(int64_t sample, InputSize input) const;
  /// True when boxes are corners: in all rows the second one lies behind the first. The boxes of a float model decide
  /// for its candidates (set_corners).
  [[nodiscard]] bool corners() const { return corners_; }
  void set_corners(bool corners) { corners_ = corners; }

 private:
  DetectionReader(const DetectionLayout& layout, Tensor boxes, Tensor scores);

  [[nodiscard]] std::vector<Detection> suppressed_rows(int64_t sample) const;
  [[nodiscard]] std::vector<Detection> joined_rows(int64_t sample, InputSize input) const;
  [[nodiscard]] std::vector<Detection> separate_rows(int64_t sample, InputSize input) const;
  [[nodiscard]] bool has_corners() const;

  DetectionLayout layout_;
  Tensor boxes_, scores_;  // float; scores_ of BoxesLogits alone
  bool corners_ = false;
};

}  // namespace detent
