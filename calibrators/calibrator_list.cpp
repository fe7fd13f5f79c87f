#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "calibrators/arguments.h"
#include "core/text.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"

namespace detent {

std::unique_ptr<Calibrator> make_max_calibrator(std::string_view argument);
std::unique_ptr<Calibrator> make_percentile_calibrator(std::string_view argument);
std::unique_ptr<Calibrator> make_entropy_calibrator(std::string_view argument);
std::unique_ptr<Calibrator> make_mse_calibrator(std::string_view argument);
std::unique_ptr<Calibrator> make_samplemax_calibrator(std::string_view argument);

std::span<const CalibratorEntry> calibrator_list() {
  static constexpr std::array<CalibratorEntry, 5> kCalibrators = {{
      {"max", "keeps everything: the largest |x| seen", make_max_calibrator},
      {"percentile", "percentile:P keeps P percent of the elements, default 99.99", make_percentile_calibrator},
      {"entropy", "loses the least information (KL divergence) when |x| is cut to 128 levels", make_entropy_calibrator},
      {"mse", "least mean squared quantization error", make_mse_calibrator},
      {"samplemax", "samplemax:Q keeps all of Q percent of the samples, default 95", make_samplemax_calibrator},
  }};
  return kCalibrators;
}

namespace {

/// The rules of callers by name.
struct OwnRules {
  std::mutex mutex;
  std::map<std::string, OwnCalibrator::Choose, std::less<>> rules;
};
OwnRules& own_rules() {
  static OwnRules rules;
  return rules;
}

class OwnRule final : public Calibrator {
 public:
  OwnRule(std::string name, OwnCalibrator::Choose choose) : name_(std::move(name)), choose_(std::move(choose)) {}
  [[nodiscard]] Range choose(const Histogram& histogram, RangeKind kind) const override {
    if (histogram.max_abs() == 0) return {};
    const Range chosen = choose_(histogram, kind);
    if (!(chosen.min <= 0 && chosen.max >= 0 && chosen.amax() > 0) || !std::isfinite(chosen.amax()))
      throw Error(ErrorCode::InvalidOption, "calibrator " + name_ + ": the range [" + std::to_string(chosen.min) +
                                                ", " + std::to_string(chosen.max) +
                                                "] does not hold 0, is empty or not finite");
    const float amax = std::min(chosen.amax(), histogram.max_abs());
    if (!is_asymmetric(kind)) return {-amax, amax};
    return {std::max(chosen.min, std::min(histogram.min(), 0.0F)),
            std::min(chosen.max, std::max(histogram.max(), 0.0F))};
  }
  [[nodiscard]] std::string name() const override { return name_; }

 private:
  std::string name_;
  OwnCalibrator::Choose choose_;
};

}  // namespace

OwnCalibrator::OwnCalibrator(std::string name, Choose choose) : name_(std::move(name)) {
  const auto is_name = [&](const CalibratorEntry& entry) { return entry.name == name_; };
  OwnRules& own = own_rules();
  const std::scoped_lock lock(own.mutex);
  if (name_.empty() || name_ == "auto" || name_.find(':') != std::string::npos ||
      std::ranges::any_of(calibrator_list(), is_name) || !own.rules.emplace(name_, std::move(choose)).second)
    throw Error(ErrorCode::Usage, "\"" + name_ + "\" cannot be the name of a calibrator of your own",
                "take a name that no other calibrator has, without a colon");
}

OwnCalibrator::~OwnCalibrator() {
  OwnRules& own = own_rules();
  const std::scoped_lock lock(own.mutex);
  own.rules.erase(name_);
}

bool is_calibrator(std::string_view name) {
  OwnRules& own = own_rules();
  const std::scoped_lock lock(own.mutex);
  return own.rules.contains(name) ||
         std::ranges::any_of(calibrator_list(), [&](const CalibratorEntry& entry) { return entry.name == name; });
}

std::unique_ptr<Calibrator> make_calibrator(std::string_view spec) {
  {
    OwnRules& own = own_rules();
    const std::scoped_lock lock(own.mutex);
    if (const auto rule = own.rules.find(spec); rule != own.rules.end())
      return std::make_unique<OwnRule>(rule->first, rule->second);
  }
  const size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const std::string_view argument = colon == std::string_view::npos ? std::string_view{} : spec.substr(colon + 1);
  if (colon != std::string_view::npos && argument.empty())
    throw Error(ErrorCode::Usage, "calibrator \"" + std::string(spec) + "\" has nothing behind the colon",
                "write " + std::string(name) + " alone, or its argument");
  for (const CalibratorEntry& entry : calibrator_list())
    if (entry.name == name) return entry.make(argument);
  throw Error(ErrorCode::Usage, "there is no calibrator \"" + std::string(spec) + "\"",
              "known are: " + join(calibrator_list(), ", ", &CalibratorEntry::name) + "; for a whole model also auto");
}

Range ValueStatistics::choice_of(const Calibrator& calibrator, RangeKind kind) const {
  if (!found) return calibrator.choose_for(*this, kind);
  const auto [entry, added] = found->try_emplace({calibrator.name(), kind});
  if (added) entry->second = calibrator.choose_for(*this, kind);
  return entry->second;
}

void refuse_argument(std::string_view calibrator, std::string_view argument) {
  if (argument.empty()) return;
  throw Error(
      ErrorCode::Usage,
      "calibrator " + std::string(calibrator) + " takes no argument, but was given \"" + std::string(argument) + "\"",
      "write " + std::string(calibrator) + " alone");
}

}  // namespace detent
