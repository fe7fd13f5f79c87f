#pragma once

#include <span>
#include <vector>

#include "detections/detection.h"

namespace detent {

/// Detections with a lower score count for nothing here.
inline constexpr float kComparedFrom = 0.05F;

/// An object in the detections of two models; nullptr: one of them did not find it.
struct DetectionPair {
  const Detection* expected = nullptr;
  const Detection* found = nullptr;
  double iou = 0;
};

/// Pairs detections of a model on one image with those of the float model, both the highest scores first. Each of the
/// float model's takes the free one of its class with the largest IoU, if that is above .1.
/// Returns the float model's in their order, then the new ones.
[[nodiscard]] std::vector<DetectionPair> pair_detections(std::span<const Detection> expected,
                                                         std::span<const Detection> found);

/// The power of detections and of their error, whose quotient is an SQNR.
struct DetectionError {
  double signal = 0, noise = 0;
};

/// Compares the detections of a model on one image with those of the float model by pair_detections(). With scores s
/// and t:
///   signal  the sum of s^2 over the float model's
///   noise   s^2 (1 - IoU)^2 + (s - t)^2 for a pair, s^2 for one that is lost, t^2 for one that is new
/// The order of rows and the many boxes of low score, which tell whole-output errors of detectors apart from their mAP,
/// count for nothing.
[[nodiscard]] DetectionError compare_detections(std::span<const Detection> expected, std::span<const Detection> found);

}  // namespace detent
