#pragma once

#include <span>

#include "detections/detection.h"

namespace detent {

/// The power of detections and of their error, whose quotient is an SQNR.
struct DetectionError {
  double signal = 0, noise = 0;
};

/// Compares the detections of a model on one image with those of the float model, both the highest scores first. Each
/// of the float model's takes the free one of its class with the largest IoU, if that is above .1. With scores s and t:
///   signal  the sum of s^2 over the float model's
///   noise   s^2 (1 - IoU)^2 + (s - t)^2 for a pair, s^2 for one that is lost, t^2 for one that is new
/// The order of rows and the many boxes of low score, which tell whole-output errors of detectors apart from their mAP,
/// count for nothing.
[[nodiscard]] DetectionError compare_detections(std::span<const Detection> expected, std::span<const Detection> found);

}  // namespace detent
