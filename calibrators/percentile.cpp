#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/parse.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"

namespace detent {
namespace {

constexpr double kDefaultPercentile = 99.99;

/// Returns the position in bins, from bin 0 upwards, below which `percent` of `total` elements lie when `below` of them
/// lie under bin 0; elements are spread evenly over their bin. 0 when those under bin 0 are enough.
double position(std::span<const uint64_t> counts, uint64_t below, uint64_t total, double percent) {
  const double wanted =
      percent * static_cast<double>(total);  // in hundredths: 100 * count needs no rounding below 2^46
  if (100.0 * static_cast<double>(below) >= wanted) return 0;
  uint64_t seen = below;
  for (size_t i = 0; i < counts.size(); ++i) {
    const uint64_t before = seen;
    seen += counts[i];
    if (100.0 * static_cast<double>(seen) < wanted) continue;
    return static_cast<double>(i) + (wanted / 100 - static_cast<double>(before)) / static_cast<double>(counts[i]);
  }
  return static_cast<double>(counts.size());
}

class PercentileCalibrator : public Calibrator {
 public:
  explicit PercentileCalibrator(double percent) : percent_(percent) {}

  [[nodiscard]] Range choose(const Histogram& histogram, RangeKind kind) const override {
    if (histogram.max_abs() == 0) return {};
    if (is_asymmetric(kind)) return asymmetric(histogram);
    std::vector<uint64_t> counts = histogram.magnitude_counts();
    counts[0] += histogram.zeros();
    const double cut = position(counts, 0, histogram.count(), percent_) * histogram.bin_width();
    const float amax = std::min(static_cast<float>(cut), histogram.max_abs());
    return {-amax, amax};
  }

  [[nodiscard]] std::string name() const override {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), percent_).ptr;
    return "percentile:" + std::string(text.data(), end);
  }

 private:
  /// Cuts half of the share at either end. Zeros are added to bin 0 of each side, so that a side with data never
  /// shrinks to nothing.
  [[nodiscard]] Range asymmetric(const Histogram& histogram) const {
    const double percent = 100 - (100 - percent_) / 2;
    const auto end_of = [&](std::span<const uint64_t> side, float extreme) -> float {
      if (extreme <= 0) return 0;
      std::vector<uint64_t> counts(side.begin(), side.end());
      counts[0] += histogram.zeros();
      uint64_t here = 0;
      for (const uint64_t count : counts) here += count;
      const uint64_t below = histogram.count() - here;
      const double cut = position(counts, below, histogram.count(), percent) * histogram.bin_width();
      return std::min(static_cast<float>(cut), extreme);
    };
    return {-end_of(histogram.negative(), -histogram.min()), end_of(histogram.positive(), histogram.max())};
  }

  double percent_;
};

}  // namespace

std::unique_ptr<Calibrator> make_percentile_calibrator(std::string_view argument) {
  if (argument.empty()) return std::make_unique<PercentileCalibrator>(kDefaultPercentile);
  if (argument.find(',') != std::string_view::npos)
    throw Error(ErrorCode::Usage,
                "percentile:" + std::string(argument) + " names several percentages, but a model is quantized with one",
                "give one percentage at a time: percentile:99.9, then percentile:99.99");
  const double percent = parse_number<double>(argument).value_or(0);
  if (!(percent > 1 && percent <= 100))
    throw Error(ErrorCode::Usage,
                "percentile:" + std::string(argument) + ": a number above 1 and up to 100 is expected",
                "P is in percent: percentile:99.99 keeps 9999 of 10000 elements");
  return std::make_unique<PercentileCalibrator>(percent);
}

}  // namespace detent
