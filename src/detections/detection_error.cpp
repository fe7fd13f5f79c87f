#include "detections/detection_error.h"

#include <vector>

namespace detent {

namespace {

constexpr double kLeastIou = 0.1;

double square(double x) { return x * x; }

}  // namespace

DetectionError compare_detections(std::span<const Detection> expected, std::span<const Detection> found) {
  DetectionError error;
  std::vector<bool> taken(found.size());
  for (const Detection& one : expected) {
    size_t best = found.size();
    double closest = kLeastIou;
    for (size_t j = 0; j < found.size(); ++j) {
      if (taken[j] || found[j].category != one.category) continue;
      if (const double own = iou(one.box, found[j].box); own > closest) closest = own, best = j;
    }
    error.signal += square(one.score);
    if (best == found.size()) {
      error.noise += square(one.score);
      continue;
    }
    taken[best] = true;
    error.noise += square(one.score * (1 - closest)) + square(one.score - found[best].score);
  }
  for (size_t j = 0; j < found.size(); ++j)
    if (!taken[j]) error.noise += square(found[j].score);
  return error;
}

}  // namespace detent
