#include "detections/detection_error.h"

#include <vector>

namespace detent {

namespace {

constexpr double kLeastIou = 0.1;

double square(double x) { return x * x; }

}  // namespace

std::vector<DetectionPair> pair_detections(std::span<const Detection> expected, std::span<const Detection> found) {
  std::vector<DetectionPair> pairs;
  std::vector<bool> taken(found.size());
  for (const Detection& one : expected) {
    if (one.score < kComparedFrom) break;
    size_t best = found.size();
    double closest = kLeastIou;
    for (size_t j = 0; j < found.size(); ++j) {
      if (taken[j] || found[j].category != one.category) continue;
      if (const double own = iou(one.box, found[j].box); own > closest) closest = own, best = j;
    }
    pairs.push_back({.expected = &one});
    if (best == found.size()) continue;
    taken[best] = true;
    pairs.back().found = &found[best], pairs.back().iou = closest;
  }
  for (size_t j = 0; j < found.size(); ++j)
    if (!taken[j] && found[j].score >= kComparedFrom) pairs.push_back({.found = &found[j]});
  return pairs;
}

DetectionError compare_detections(std::span<const Detection> expected, std::span<const Detection> found) {
  DetectionError error;
  for (const DetectionPair& pair : pair_detections(expected, found)) {
    const double s = pair.expected ? pair.expected->score : 0, t = pair.found ? pair.found->score : 0;
    error.signal += square(s);
    error.noise += square(s * (1 - pair.iou)) * (pair.found ? 1 : 0) + square(s - t);
  }
  return error;
}

}  // namespace detent
