#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/index.h"
#include "core/parse.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"

namespace detent {
namespace {

constexpr double kDefaultSamplemaxPercent = 95;
// With fewer samples a quantile of 95 is the largest anyway, and a lower one depends on the draw.
constexpr size_t kFewestSamples = 20;

/// Returns the ceil(percent/100 * n)-th smallest of n; `whole` when n is too small.
float quantile(std::vector<float> numbers, double percent, float whole) {
  if (numbers.size() < kFewestSamples) return whole;
  // In hundredths: 100 * rank needs no rounding.
  const double wanted = percent * static_cast<double>(numbers.size());
  const auto rank = static_cast<size_t>(std::ceil(wanted / 100));
  const auto nearest = numbers.begin() + static_cast<std::ptrdiff_t>(std::clamp<size_t>(rank, 1, numbers.size()) - 1);
  std::ranges::nth_element(numbers, nearest);
  return std::min(*nearest, whole);
}

class SampleMaxCalibrator : public Calibrator {
 public:
  explicit SampleMaxCalibrator(double percent) : percent_(percent) {}

  [[nodiscard]] Range choose(const Histogram& histogram, RangeKind kind) const override {
    return choose_for({histogram}, kind);
  }

  [[nodiscard]] Range choose_for(const ValueStatistics& value, RangeKind kind) const override {
    const Histogram& histogram = value.histogram;
    if (!is_asymmetric(kind)) {
      const float amax = reach(value.samples, &Extremes::max_abs, histogram.max_abs());
      return {-amax, amax};
    }
    const auto below = [](const Extremes& sample) { return -sample.min; };
    const auto above = [](const Extremes& sample) { return sample.max; };
    return {0.0F - reach(value.samples, below, -histogram.min()), reach(value.samples, above, histogram.max())};
  }

  [[nodiscard]] bool looks_at_samples() const override { return true; }

  [[nodiscard]] std::string name() const override {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), percent_).ptr;
    return "samplemax:" + std::string(text.data(), end);
  }

 private:
  /// Returns the quantile of the reaches to one side. Samples without elements on that side do not count.
  template <class Side>
  [[nodiscard]] float reach(std::span<const Extremes> samples, Side side, float whole) const {
    std::vector<float> reaches;
    for (const Extremes& sample : samples)
      if (const float far = std::invoke(side, sample); far > 0) reaches.push_back(far);
    return std::max(quantile(std::move(reaches), percent_, whole), 0.0F);
  }

  double percent_;
};

}  // namespace

std::unique_ptr<Calibrator> make_samplemax_calibrator(std::string_view argument) {
  if (argument.empty()) return std::make_unique<SampleMaxCalibrator>(kDefaultSamplemaxPercent);
  const double percent = parse_number<double>(argument).value_or(0);
  if (!(percent > 0 && percent <= 100))
    throw Error(ErrorCode::Usage, "samplemax:" + std::string(argument) + ": a number above 0 and up to 100 is expected",
                "Q is in percent of the samples, one number: samplemax:95 lets 1 sample of 20 be cut");
  return std::make_unique<SampleMaxCalibrator>(percent);
}

}  // namespace detent
