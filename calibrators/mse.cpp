#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "calibrators/arguments.h"
#include "calibrators/grid_error.h"
#include "calibrators/signed_bins.h"
#include "detent/calibrator.h"

namespace detent {
namespace {

constexpr int kSignedLevels = 127;
constexpr int kUnsignedLevels = 255;
constexpr int kFirstCandidate = 128;  // bins; with fewer a bin would be wider than a step
constexpr int kRounds = 4;

/// [low, high] in bins, found by moving one end at a time over bin edges. Data that is never negative keeps low = 0.
class RangeSearch {
 public:
  RangeSearch(const SignedBins& bins, double min, double max)
      : error_(bins), min_(std::min(min, 0.0)), max_(std::max(max, 0.0)), low_(min_), high_(max_) {}

  void run() {
    best_ = cost(low_, high_);
    for (int round = 0; round < kRounds; ++round) {
      const bool right = move_high();
      const bool left = move_low();
      if (!right && !left) return;
    }
  }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  [[nodiscard]] double cost(double low, double high) const {
    const double scale = (high - low) / kUnsignedLevels;
    return error_({scale, static_cast<int>(std::nearbyint(-low / scale)), 0, kUnsignedLevels});
  }

  bool move_high() {
    const double before = high_;
    for (double edge = low_ < 0 ? 0 : 1; edge < max_ + 1; ++edge) {
      const double candidate = std::min(edge, max_);
      if (candidate - low_ < 1) continue;
      const double found = cost(low_, candidate);
      if (found < best_) {
        best_ = found;
        high_ = candidate;
      }
    }
    return high_ != before;
  }

  bool move_low() {
    const double before = low_;
    for (double edge = high_ > 0 ? 0 : 1; edge < 1 - min_; ++edge) {
      const double candidate = std::max(-edge, min_);
      if (high_ - candidate < 1) continue;
      const double found = cost(candidate, high_);
      if (found < best_) {
        best_ = found;
        low_ = candidate;
      }
    }
    return low_ != before;
  }

  GridError error_;
  double min_, max_;
  double low_, high_;
  double best_ = 0;
};

class MseCalibrator : public Calibrator {
 public:
  [[nodiscard]] Range choose(const Histogram& histogram, RangeKind kind) const override {
    if (histogram.max_abs() == 0) return {};
    return kind == RangeKind::Symmetric ? symmetric(histogram) : asymmetric(histogram);
  }
  [[nodiscard]] std::string name() const override { return "mse"; }

 private:
  static Range symmetric(const Histogram& histogram) {
    const SignedBins bins = magnitude_bins(histogram);
    const GridError error(bins);
    const double largest = histogram.max_abs() / histogram.bin_width();
    double best_error = std::numeric_limits<double>::infinity();
    double best = largest;
    for (size_t i = kFirstCandidate; i <= bins.counts.size(); ++i) {
      const double candidate = std::min(static_cast<double>(i), largest);
      const double found = error({candidate / kSignedLevels, 0, 0, kSignedLevels});
      if (found < best_error) {
        best_error = found;
        best = candidate;
      }
    }
    const auto amax = static_cast<float>(best * histogram.bin_width());
    return {-amax, amax};
  }

  static Range asymmetric(const Histogram& histogram) {
    const double width = histogram.bin_width();
    RangeSearch search(signed_bins(histogram), histogram.min() / width, histogram.max() / width);
    search.run();
    return {static_cast<float>(search.low() * width), static_cast<float>(search.high() * width)};
  }
};

}  // namespace

std::unique_ptr<Calibrator> make_mse_calibrator(std::string_view argument) {
  refuse_argument("mse", argument);
  return std::make_unique<MseCalibrator>();
}

}  // namespace detent
