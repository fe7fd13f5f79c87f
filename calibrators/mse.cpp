#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "calibrators/arguments.h"
#include "calibrators/grid_error.h"
#include "calibrators/signed_bins.h"
#include "calibrators/squared_error.h"
#include "core/index.h"
#include "detent/base/calibrator.h"

namespace detent {
namespace {

/// The finite magnitudes of float8e4m3fn, ascending from 0: eight subnormal ones 2^-9 apart, then eight for each power
/// of two from 2^-6 to 2^8, except 480, whose code is NaN. Source: "FP8 Formats for Deep Learning" (Micikevicius et al.
/// 2022).
[[nodiscard]] inline const std::array<double, 127>& e4m3_magnitudes() {
  static const std::array<double, 127> magnitudes = [] {
    std::array<double, 127> all{};
    for (int code = 0; code < 127; ++code)
      all[as_index(code)] = code < 8 ? std::ldexp(code, -9) : std::ldexp(8 + code % 8, code / 8 - 10);
    return all;
  }();
  return magnitudes;
}

constexpr int kFirstCandidate = 128;  // bins; with fewer a bin would be wider than a step
constexpr int kMseRounds = 4;
constexpr int kCandidateStep = 64;  // every 64th candidate is computed first, to skip those that cannot beat them

/// Returns the grid of codes for [low, high], in bins.
Grid unsigned_grid(double low, double high, int steps) {
  const double scale = (high - low) / steps;
  return {scale, static_cast<int>(std::nearbyint(-low / scale)), 0, steps};
}

/// Finds [low, high] in bins by moving one end at a time over bin edges. Data that is never negative keeps low = 0.
class RangeSearch {
 public:
  RangeSearch(const SignedBins& bins, double min, double max, int steps)
      : error_(bins), steps_(steps), min_(std::min(min, 0.0)), max_(std::max(max, 0.0)), low_(min_), high_(max_) {}

  void run() {
    best_ = error_(grid({low_, high_}));
    for (int round = 0; round < kMseRounds; ++round) {
      // If one end stays, the other would find the same range again.
      if (!move(high_, 1, low_ < 0 ? 0 : 1, max_) && round > 0) return;
      if (!move(low_, -1, high_ > 0 ? 0 : 1, -min_)) return;
    }
  }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  struct Window {
    double low, high;
  };

  [[nodiscard]] Grid grid(const Window& at) const { return unsigned_grid(at.low, at.high, steps_); }

  /// Moves `end` to the first of the candidates sign * nearest, sign * (nearest + 1) ... sign * furthest that costs
  /// least, if it costs less than the best known. True when it moved.
  bool move(double& end, double sign, double nearest, double furthest) {
    const double before = end;
    const auto window = [&](double edge) {
      const double candidate = sign * std::min(edge, furthest);
      return sign > 0 ? Window{low_, candidate} : Window{candidate, high_};
    };
    double least = best_;  // a candidate above this is not chosen
    for (double edge = nearest; edge < furthest + 1; edge += kCandidateStep)
      if (const Window at = window(edge); at.high - at.low >= 1) least = std::min(least, error_(grid(at)));
    StretchBound bound(error_);
    for (double edge = nearest; edge < furthest + 1; ++edge) {
      const Window at = window(edge);
      if (at.high - at.low < 1) continue;
      const Grid candidate = grid(at);
      if (bound.exceeds(candidate, least)) continue;
      const double found = error_(candidate);
      bound.remember(candidate, found);
      if (found < best_) {
        best_ = found;
        end = sign > 0 ? at.high : at.low;
      }
    }
    return end != before;
  }

  GridError error_;
  int steps_;
  double min_, max_;
  double low_, high_;
  double best_ = 0;
};

Grid signed_grid(double amax, int steps) { return {amax / steps, 0, 0, steps}; }

class MseCalibrator : public Calibrator {
 public:
  [[nodiscard]] Range choose(const Histogram& histogram, RangeKind kind) const override {
    return least_error_range(histogram, kind);
  }
  [[nodiscard]] std::string name() const override { return "mse"; }
};

/// Returns the grid of FP8 for [0, amax], in bins. Only its scale counts, as a measure of how far it is stretched.
Grid float_grid(double amax) {
  const auto largest = static_cast<int>(e4m3_magnitudes().back());
  return {amax / largest, 0, 0, largest};
}

double grid_error(const GridError& error, RangeKind kind, double amax) {
  return kind == RangeKind::Float8 ? error(e4m3_magnitudes(), float_grid(amax).scale)
                                   : error(signed_grid(amax, steps_of(kind)));
}

/// Returns the range for a kind that is not asymmetric.
Range symmetric_range(const Histogram& histogram, RangeKind kind) {
  const SignedBins bins = magnitude_bins(histogram);
  const GridError error(bins);
  const double largest = histogram.max_abs() / histogram.bin_width();
  const auto candidate = [&](size_t i) { return std::min(static_cast<double>(i), largest); };
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = kFirstCandidate; i <= bins.counts.size(); i += kCandidateStep)
    least = std::min(least, grid_error(error, kind, candidate(i)));
  StretchBound bound(error);
  double best_error = std::numeric_limits<double>::infinity();
  double best = largest;
  for (size_t i = kFirstCandidate; i <= bins.counts.size(); ++i) {
    const Grid at = kind == RangeKind::Float8 ? float_grid(candidate(i)) : signed_grid(candidate(i), steps_of(kind));
    if (bound.exceeds(at, least)) continue;
    const double found = grid_error(error, kind, candidate(i));
    bound.remember(at, found);
    if (found < best_error) {
      best_error = found;
      best = candidate(i);
    }
  }
  const auto amax = static_cast<float>(best * histogram.bin_width());
  return {-amax, amax};
}

Range asymmetric_range(const Histogram& histogram, int steps) {
  const double width = histogram.bin_width();
  RangeSearch search(signed_bins(histogram), histogram.min() / width, histogram.max() / width, steps);
  search.run();
  return {static_cast<float>(search.low() * width), static_cast<float>(search.high() * width)};
}

}  // namespace

Range least_error_range(const Histogram& histogram, RangeKind kind) {
  if (histogram.max_abs() == 0) return {};
  return is_asymmetric(kind) ? asymmetric_range(histogram, steps_of(kind)) : symmetric_range(histogram, kind);
}

std::vector<double> squared_errors(const Histogram& histogram, std::span<const Range> ranges, RangeKind kind) {
  std::vector<double> errors(ranges.size());
  if (histogram.max_abs() == 0) return errors;
  const double width = histogram.bin_width();
  const GridError error(is_asymmetric(kind) ? signed_bins(histogram) : magnitude_bins(histogram));
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].max <= ranges[i].min) continue;
    errors[i] = is_asymmetric(kind) ? error(unsigned_grid(ranges[i].min / width, ranges[i].max / width, steps_of(kind)))
                                    : grid_error(error, kind, ranges[i].amax() / width);
  }
  return errors;
}

double squared_error(const Histogram& histogram, const Range& range, RangeKind kind) {
  return squared_errors(histogram, {&range, 1}, kind).front();
}

std::optional<double> expected_sqnr_db(const Histogram& histogram, RangeKind kind) {
  return expected_sqnr_db(histogram, least_error_range(histogram, kind), kind);
}

std::optional<double> expected_sqnr_db(const Histogram& histogram, const Range& range, RangeKind kind) {
  const double error = squared_error(histogram, range, kind) * std::pow(histogram.bin_width(), 2);
  const double signal = histogram.sum_of_squares();
  if (!(error > 0) || !(signal > 0)) return std::nullopt;
  return 10 * std::log10(signal / error);
}

std::unique_ptr<Calibrator> make_mse_calibrator(std::string_view argument) {
  refuse_argument("mse", argument);
  return std::make_unique<MseCalibrator>();
}

}  // namespace detent
