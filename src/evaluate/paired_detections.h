#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detections/decode.h"
#include "detections/matched_detections.h"
#include "evaluate/error_sums.h"

namespace detent {

inline constexpr float kShownFrom = 0.5F;  ///< score of detections that a user would show

/// The detections of the float model and of a candidate in the same samples.
struct PairedDetections {
  std::vector<std::vector<Detection>> expected, found;  ///< by sample

  /// Reads those of outputs with their samples in front.
  /// names    of the outputs
  /// image    size of the inputs
  /// above    lowest score to read: kComparedFrom where only errors are wanted, which saves the time of suppression
  /// Returns  nullopt where the outputs have other shapes than the layout's.
  [[nodiscard]] static std::optional<PairedDetections> of(const DetectionLayout& layout,
                                                          std::span<const std::string> names,
                                                          std::span<const Tensor> expected,
                                                          std::span<const Tensor> found, size_t samples,
                                                          InputSize image, float above = kLeastScore);

  /// Matches the candidate's with those of the float model that a user would show, with a score of .5 or more.
  [[nodiscard]] MatchedDetections match_shown(size_t sample) const;
  /// Replaces the errors of the outputs that hold detections by that of the detections in them (compare_detections), at
  /// the boxes' output; separate scores and labels get none.
  void replace_errors(std::span<ErrorSums> errors, const DetectionLayout& layout,
                      std::span<const std::string> names) const;
};

}  // namespace detent
