#include <array>
#include <string>

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

std::unique_ptr<Calibrator> make_calibrator(std::string_view spec) {
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
