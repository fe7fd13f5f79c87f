#include <algorithm>
#include <string>

#include "calibrators/arguments.h"
#include "detent/base/calibrator.h"

namespace detent {
namespace {

class MaxCalibrator : public Calibrator {
 public:
  [[nodiscard]] Range choose(const Histogram& histogram, RangeKind kind) const override {
    if (!is_asymmetric(kind)) return {-histogram.max_abs(), histogram.max_abs()};
    return {std::min(histogram.min(), 0.0f), std::max(histogram.max(), 0.0f)};
  }
  [[nodiscard]] std::string name() const override { return "max"; }
};

}  // namespace

std::unique_ptr<Calibrator> make_max_calibrator(std::string_view argument) {
  refuse_argument("max", argument);
  return std::make_unique<MaxCalibrator>();
}

}  // namespace detent
