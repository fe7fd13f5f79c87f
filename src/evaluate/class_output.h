#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "detent/base/tensor.h"

namespace detent {

/// True when score `a` is above score `b`. A NaN scores less than any number; equal scores are not above each other.
[[nodiscard]] inline bool scores_above(float a, float b) { return a > b || (std::isnan(b) && !std::isnan(a)); }

/// Returns the class with the highest of `classes` scores, `stride` elements apart; of equal scores the first. A single
/// score is a class by its sign: 1 above 0, else 0.
[[nodiscard]] inline int64_t argmax(const float* first, int64_t classes, int64_t stride) {
  if (classes < 2) return *first > 0 ? 1 : 0;
  int64_t best = 0;
  for (int64_t c = 1; c < classes; ++c)
    if (scores_above(first[c * stride], first[best * stride])) best = c;
  return best;
}

/// An output read as classes: at each position of each sample one score per class, one score (its sign) or the class
/// itself. A NaN scores less than any number; of equal scores the first counts as higher.
class ClassOutput {
 public:
  /// Reads one class a sample: [N, C] with trailing extents of 1, [C] for a single sample, [N] or [N, 1]; integers: N
  /// of them. nullopt when `output` (plain layout, axis 0 counts `samples`) has another form.
  [[nodiscard]] static std::optional<ClassOutput> of_samples(const Tensor& output, int64_t samples);
  /// Reads one class a pixel: [N, C, H, W]; integers: [N, H, W] or [N, 1, H, W].
  [[nodiscard]] static std::optional<ClassOutput> of_pixels(const Tensor& output, int64_t samples);

  /// Returns the number of classes; 2 for a sign; 0 when the output holds the classes themselves.
  [[nodiscard]] int64_t classes() const { return holds_classes_ ? 0 : std::max<int64_t>(2, channels_); }
  [[nodiscard]] int64_t height() const { return height_; }
  [[nodiscard]] int64_t width() const { return width_; }

  [[nodiscard]] int64_t class_at(int64_t sample, int64_t position) const;
  /// Returns how many classes score higher than `label`, which is one of them. For signs and classes: 0 or 1.
  [[nodiscard]] int64_t rank_of(int64_t label, int64_t sample) const;

 private:
  ClassOutput(const Tensor& output, int64_t channels, int64_t height, int64_t width);
  [[nodiscard]] float score(int64_t sample, int64_t channel, int64_t position) const {
    return scores_[(sample * channels_ + channel) * height_ * width_ + position];
  }

  bool holds_classes_ = false;
  Tensor values_;  // [sample][channel][position]
  const float* scores_ = nullptr;
  const int64_t* given_ = nullptr;  // the classes, where the output holds them instead of scores
  int64_t channels_ = 1, height_ = 1, width_ = 1;
};

}  // namespace detent
