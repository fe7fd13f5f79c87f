#include "calibrators/grid_error.h"

#include <algorithm>
#include <cmath>

#include "core/index.h"

namespace detent {

GridError::Side::Side(const std::vector<double>& counts) : bins_(counts.size()) {
  Integrals outer;
  for (size_t i = counts.size(); i-- > 0;) {
    bins_[i] = {outer, counts[i]};
    outer = beyond(static_cast<double>(i));
  }
}

double GridError::Side::sum_of_ramps(double scale, int count) const {
  double sum = 0;
  for (int i = 0; i < count && (i + 0.5) * scale < reach(); ++i) sum += beyond((i + 0.5) * scale).ramp;
  return sum;
}

GridError::Integrals GridError::Side::beyond(double x) const {
  if (x >= reach()) return {};
  const auto i = static_cast<size_t>(x);
  const auto& [outer, count] = bins_[i];
  const double part = static_cast<double>(i + 1) - x;
  return {outer.mass + part * count, outer.ramp + part * (outer.mass + part * count / 2),
          outer.square + part * (2 * outer.ramp + part * (outer.mass + part * count / 3))};
}

GridError::GridError(const SignedBins& bins)
    : below_({bins.counts.rend() - as_extent(bins.zero), bins.counts.rend()}),
      above_({bins.counts.begin() + as_extent(bins.zero), bins.counts.end()}) {}

double GridError::fine_error(const Grid& grid) const {
  const Integrals low = below_.beyond((grid.zero_point - grid.lowest) * grid.scale),
                  high = above_.beyond((grid.highest - grid.zero_point) * grid.scale);
  return low.square + (mass() - low.mass - high.mass) * grid.scale * grid.scale / 12 + high.square;
}

double GridError::operator()(const Grid& grid) const {
  constexpr int kFineCodes = 1024;
  if (grid.highest - grid.lowest > kFineCodes) return fine_error(grid);
  return second_moment() - 2 * grid.scale *
                               (below_.sum_of_ramps(grid.scale, grid.zero_point - grid.lowest) +
                                above_.sum_of_ramps(grid.scale, grid.highest - grid.zero_point));
}

double GridError::operator()(std::span<const double> numbers, double scale) const {
  double error = second_moment();
  for (size_t i = 1; i < numbers.size(); ++i)
    error -= 2 * scale * (numbers[i] - numbers[i - 1]) * above_.beyond(scale * (numbers[i] + numbers[i - 1]) / 2).ramp;
  return error;
}

double GridError::rounding() const {
  const double furthest = 2 * std::max(below_.reach(), above_.reach());
  return 0x1p-36 * furthest * furthest * mass();
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
