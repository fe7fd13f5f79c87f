#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/histogram.h"
#include "detent/base/qparams.h"

namespace detent {

/// How the quantized value will be represented; calibrators choose ranges for that grid.
enum class RangeKind : uint8_t {
  Symmetric,   ///< signed 8-bit, 127 levels a side
  Asymmetric,  ///< unsigned 8-bit with zero point: [min, max]
  Float8,      ///< float8e4m3fn: symmetric, 126 magnitudes whose steps grow with them, 448 the largest
};

/// What becomes of the calibration samples that alone set the range of many values (find_outlier_samples).
enum class OutlierPolicy : uint8_t {
  Keep,  ///< they count as any other
  Drop,  ///< they are left out of the calibration
  Clip,  ///< they count, but no range goes beyond what the other samples reach
};
/// "keep", "drop", "clip".
[[nodiscard]] constexpr std::string_view name_of(OutlierPolicy policy) {
  return policy == OutlierPolicy::Keep ? "keep" : policy == OutlierPolicy::Drop ? "drop" : "clip";
}

/// What was measured of one value, or of several that get one range.
struct ValueStatistics {
  const Histogram& histogram;
  /// Of each sample, in any order; several values: of the union of their elements. Empty: not known.
  std::span<const Extremes> samples = {};
};

/// Algorithm that turns a histogram into a range. Stateless after construction; may be used from several threads.
class DETENT_API Calibrator {
 public:
  virtual ~Calibrator() = default;
  /// Input   any histogram. Output  range in real units containing 0; Symmetric and Float8 give [-amax, amax].
  /// Empty   no finite element, or all zero -> {0, 0}.
  [[nodiscard]] virtual Range choose(const Histogram& histogram, RangeKind kind) const = 0;
  /// The same for a calibrator that looks at single samples; others need their histogram only.
  [[nodiscard]] virtual Range choose_for(const ValueStatistics& value, RangeKind kind) const {
    return choose(value.histogram, kind);
  }
  /// True when choose() alone is only a substitute for choose_for().
  [[nodiscard]] virtual bool looks_at_samples() const { return false; }
  /// The text that make_calibrator makes it of: "max", "percentile:99.99" ...
  [[nodiscard]] virtual std::string name() const = 0;
};

/// One entry of the list in calibrators/calibrator_list.cpp.
struct CalibratorEntry {
  std::string_view name;     ///< "percentile"
  std::string_view summary;  ///< one line
  /// `argument` is the text behind the colon, empty when absent.
  /// Errors  Usage when the argument makes no sense.
  std::unique_ptr<Calibrator> (*make)(std::string_view argument);
};

[[nodiscard]] DETENT_API std::span<const CalibratorEntry> calibrator_list();

/// "entropy", "percentile:99.9" ... Errors  Usage naming the known calibrators.
[[nodiscard]] DETENT_API std::unique_ptr<Calibrator> make_calibrator(std::string_view spec);

}  // namespace detent
