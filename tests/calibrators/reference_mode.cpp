#include "calibrators/reference_mode.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "calibrators/divergence.h"
#include "detent/base/error.h"

namespace detent {
namespace {

constexpr size_t kFirstCandidate = 128;

void check(const ReferenceHistogram& histogram) {
  if (!histogram.counts.empty() && histogram.edges.size() == histogram.counts.size() + 1) return;
  throw Error(ErrorCode::InvalidData, "a histogram with " + std::to_string(histogram.counts.size()) + " bins has " +
                                          std::to_string(histogram.edges.size()) +
                                          " edges, expected one more than bins");
}

}  // namespace

float reference_percentile_amax(const ReferenceHistogram& histogram, double percent) {
  check(histogram);
  int64_t total = 0;
  for (const int64_t count : histogram.counts) total += count;
  double sum = 0;
  for (size_t i = 0; i < histogram.counts.size(); ++i) {
    sum += static_cast<double>(histogram.counts[i]) / static_cast<double>(total);
    if (sum >= percent / 100) return histogram.edges[i];
  }
  return histogram.edges.back();
}

float reference_entropy_amax(const ReferenceHistogram& histogram, size_t levels, size_t stride) {
  check(histogram);
  const std::vector<double> counts(histogram.counts.begin(), histogram.counts.end());
  const ClippedDivergence divergence(without_zero_peak(counts));
  std::vector<double> candidates;
  for (size_t i = kFirstCandidate; i <= counts.size(); i += stride) candidates.push_back(divergence(0, i, levels));
  if (candidates.empty()) return histogram.edges.back();
  return histogram.edges[kFirstCandidate + stride * last_minimum(candidates)];
}

float reference_mse_amax(const ReferenceHistogram& histogram, int levels, size_t stride) {
  check(histogram);
  std::vector<float> centres;
  for (size_t i = 0; i < histogram.counts.size(); ++i)
    centres.push_back((histogram.edges[i] + histogram.edges[i + 1]) / 2);
  const auto highest = static_cast<float>(levels);
  double best_error = std::numeric_limits<double>::infinity();
  float best = centres.back();
  for (size_t i = kFirstCandidate; i < centres.size(); i += stride) {
    const float inverse_scale = highest / centres[i];
    double error = 0;
    for (size_t j = 0; j < centres.size(); ++j) {
      const float code = std::min(std::nearbyint(centres[j] * inverse_scale), highest);  // centres are never negative
      const double difference = static_cast<double>(code / inverse_scale - centres[j]);
      error += static_cast<double>(histogram.counts[j]) * difference * difference;
    }
    if (error < best_error) {
      best_error = error;
      best = centres[i];
    }
  }
  return best;
}

}  // namespace detent
