#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "detent/base/calibrator.h"

namespace detent {

inline Histogram histogram_of(const std::vector<float>& values) {
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

inline std::vector<float> normal_values(size_t count, float mean = 0, float deviation = 1) {
  std::mt19937 random(7);
  std::normal_distribution<float> distribution(mean, deviation);
  std::vector<float> values(count);
  for (float& x : values) x = distribution(random);
  return values;
}

inline Range choose(std::string_view spec, const std::vector<float>& values, RangeKind kind = RangeKind::Symmetric) {
  return make_calibrator(spec)->choose(histogram_of(values), kind);
}

}  // namespace detent
