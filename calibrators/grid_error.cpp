#include "calibrators/grid_error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace detent {
namespace {

/// Integrals of 1, x and x^2 over [a, b].
struct Powers {
  double zeroth, first, second;
};

Powers integrals(double a, double b) {
  const double width = b - a;
  const double centre = (a + b) / 2;
  return {width, width * centre, width * (centre * centre + width * width / 12)};
}

}  // namespace

GridError::GridError(const SignedBins& bins)
    : counts_(bins.counts), sums_(1), origin_(-static_cast<double>(bins.zero)) {
  for (size_t i = 0; i < counts_.size(); ++i) {
    const double left = origin_ + static_cast<double>(i);
    const Powers powers = integrals(left, left + 1);
    const Moments& last = sums_.back();
    sums_.push_back({last.mass + counts_[i] * powers.zeroth, last.first + counts_[i] * powers.first,
                     last.second + counts_[i] * powers.second});
  }
}

GridError::Moments GridError::up_to(double x) const {
  if (x <= origin_) return {};
  if (x >= origin_ + static_cast<double>(counts_.size())) return sums_.back();
  // std::floor is a call before SSE4.1.
  auto left = static_cast<double>(static_cast<int64_t>(x));
  if (left > x) --left;
  const auto bin = static_cast<size_t>(left - origin_);
  const Powers part = integrals(left, x);
  const double count = counts_[bin];
  return {sums_[bin].mass + count * part.zeroth, sums_[bin].first + count * part.first,
          sums_[bin].second + count * part.second};
}

double GridError::fine_error(const Grid& grid) const {
  const auto clipped = [](const Moments& from, const Moments& to, double end) {
    return (to.second - from.second) - 2 * end * (to.first - from.first) + end * end * (to.mass - from.mass);
  };
  const double low = (grid.lowest - grid.zero_point) * grid.scale, high = (grid.highest - grid.zero_point) * grid.scale;
  const Moments below = up_to(low), within = up_to(high);
  return clipped({}, below, low) + (within.mass - below.mass) * grid.scale * grid.scale / 12 +
         clipped(within, sums_.back(), high);
}

double GridError::operator()(const Grid& grid) const {
  constexpr int kFineCodes = 1024;
  if (grid.highest - grid.lowest > kFineCodes) return fine_error(grid);
  double error = 0;
  Moments before;
  for (int code = grid.lowest; code <= grid.highest; ++code) {
    const double value = (code - grid.zero_point) * grid.scale;
    const Moments here = code == grid.highest ? sums_.back() : up_to(value + grid.scale / 2);
    error += (here.second - before.second) - 2 * value * (here.first - before.first) +
             value * value * (here.mass - before.mass);
    before = here;
  }
  return error;
}

double GridError::operator()(std::span<const double> numbers, double scale) const {
  double error = 0;
  Moments before;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double value = numbers[i] * scale;
    const bool last = i + 1 == numbers.size();
    const Moments here = last ? sums_.back() : up_to((value + numbers[i + 1] * scale) / 2);
    error += (here.second - before.second) - 2 * value * (here.first - before.first) +
             value * value * (here.mass - before.mass);
    before = here;
  }
  return error;
}

double GridError::rounding() const {
  const double furthest = 2 * std::max(-origin_, origin_ + static_cast<double>(counts_.size()));
  return 0x1p-36 * furthest * furthest * sums_.back().mass;
}

StretchBound::StretchBound(const GridError& error)
    : norm_(std::sqrt(error.second_moment())), rounding_(error.rounding()) {}

bool StretchBound::exceeds(const Grid& grid, double limit) const {
  if (grid.zero_point != grid_.zero_point || grid.lowest != grid_.lowest || grid.highest != grid_.highest) return false;
  const double stretch = std::abs(1 - grid_.scale / grid.scale);
  // A millionth more of every length is far above the rounding here.
  return root_ > 1.000001 * ((1 + stretch) * std::sqrt(limit + rounding_) + stretch * norm_);
}

void StretchBound::remember(const Grid& grid, double error) {
  grid_ = grid;
  root_ = std::sqrt(std::max(error - rounding_, 0.0));
}

}  // namespace detent
