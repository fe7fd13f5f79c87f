#pragma once

#include <array>
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

/// The meaning of the float model's numbers, which only the numbers tell. A candidate's numbers mean the same.
struct NumberForm {
  bool corners = false;  ///< boxes are two corners: the second one lies behind the first
  bool pixels = false;   ///< boxes are in pixels of the input, not in 0..1
  /// BoxesLogits: the column of "no object" among those of a Softmax: the first (SSD) or the last (DETR). It is the
  /// largest of most rows. nullopt: the scores are Sigmoids.
  std::optional<int64_t> no_object = {};
};

/// Reads the detections of several samples.
class DetectionReader {
 public:
  /// Finds the outputs of a layout by name; axis 0 counts `samples`. Without labels all rows have one class.
  /// Returns nullopt where they have other shapes.
  [[nodiscard]] static std::optional<DetectionReader> of(const DetectionLayout& layout,
                                                         std::span<const std::string> names,
                                                         std::span<const Tensor> outputs, int64_t samples);

  /// Returns at most the 100 highest scores of each category in one sample, the highest first. Of queries only as many
  /// pairs of query and class stay as there are queries: their highest classes where there is "no object", else the
  /// highest scores of all.
  /// input  for boxes in 0..1 and for cells.
  /// above  boxes that the network does not select are suppressed among those with a higher score.
  [[nodiscard]] std::vector<Detection> read(int64_t sample, InputSize input, float above = kLeastScore) const;
  [[nodiscard]] const NumberForm& numbers() const { return numbers_; }
  void set_numbers(const NumberForm& numbers) { numbers_ = numbers; }

 private:
  DetectionReader(const DetectionLayout& layout, Tensor boxes, Tensor scores, Tensor labels, Tensor count);

  [[nodiscard]] std::vector<Detection> suppressed_rows(int64_t sample, InputSize input) const;
  [[nodiscard]] std::vector<Detection> joined_rows(int64_t sample, InputSize input, float above) const;
  [[nodiscard]] std::vector<Detection> separate_rows(int64_t sample, InputSize input, float above) const;
  [[nodiscard]] std::vector<Detection> selected_rows(int64_t sample, InputSize input) const;
  [[nodiscard]] std::array<float, 4> in_pixels(const std::array<float, 4>& box, InputSize input) const;
  [[nodiscard]] NumberForm find_numbers() const;
  [[nodiscard]] std::optional<int64_t> find_no_object() const;
  /// Appends the detections of one row.
  void add_classes(std::span<const float> given, const Box& box, float above, std::vector<Detection>& found) const;

  DetectionLayout layout_;
  Tensor boxes_, scores_, labels_, count_;  // float, with the samples in front; empty where the form has none
  NumberForm numbers_;
};

}  // namespace detent
