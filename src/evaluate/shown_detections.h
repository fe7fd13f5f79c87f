#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detections/decode.h"
#include "detections/detection.h"
#include "detections/layout.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// The detections of one sample that a picture shows, in the float model and in a candidate.
struct ShownDetections {
  static constexpr float kLeastScore = 0.25F;
  static constexpr float kLeastPartner = 0.05F;
  static constexpr double kAlikeIou = 0.9;
  static constexpr float kAlikeScores = 0.1F;

  std::string name;                        ///< of the sample
  std::vector<Detection> expected, found;  ///< from kLeastScore on, the highest scores first
  /// In the order of `expected` and `found`: the other model has the box, at an IoU from kAlikeIou on, with a score
  /// that is within kAlikeScores. Empty: it is not known.
  std::vector<bool> expected_alike, found_alike;
  /// Scores of both in pairs (pair_detections) of which one is shown; 0: not found, or below kLeastPartner.
  std::vector<std::pair<float, float>> scores;
  double noise = 0;  ///< of all detections (compare_detections)

  /// Both the highest scores first.
  [[nodiscard]] static ShownDetections of(std::string name, std::span<const Detection> expected,
                                          std::span<const Detection> found);
};

/// Puts the samples with the largest error in front; of equals the earlier one.
void put_worst_first(std::vector<ShownDetections>& samples);

/// The detections of a model in one sample.
struct DetectedSample {
  std::string name;
  std::array<int, 2> image_size = {};  ///< Sample::image_size
  InputSize input;
  std::vector<Detection> found = {};  ///< the highest scores first
  NumberForm numbers = {};            ///< by which they were read
};

/// Runs a model over samples and reads its detections.
/// task     the text of the progress line
/// Returns  samples in the order of the source, without unreadable ones where the settings skip them.
/// Errors   InvalidOption when no output has the form of the layout; those of reading and running.
[[nodiscard]] std::vector<DetectedSample> detect_in(const Model& model, const DetectionLayout& layout,
                                                    const DataSource& source, const RunSettings& settings,
                                                    std::string_view task);

/// Runs a model over samples and reads its detections, as `expected` and as `found`. Samples and errors
/// are those of detect_in.
[[nodiscard]] std::vector<ShownDetections> detect(const Model& model, const DetectionLayout& layout,
                                                  const DataSource& source, const RunSettings& settings);

}  // namespace detent
