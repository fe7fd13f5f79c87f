#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/histogram.h"
#include "detent/base/qparams.h"

namespace detent {

/// Treatment of calibration samples that alone set the range of many values.
enum class OutlierPolicy : uint8_t {
  Keep,  ///< counted like the others
  Drop,  ///< left out of the calibration
  Clip,  ///< counted, but no range exceeds what the other samples reach
};
/// Returns "keep", "drop" or "clip".
[[nodiscard]] constexpr std::string_view name_of(OutlierPolicy policy) {
  return policy == OutlierPolicy::Keep ? "keep" : policy == OutlierPolicy::Drop ? "drop" : "clip";
}

class Calibrator;

/// Ranges that calibrators chose for one value, by their names.
using FoundRanges = std::map<std::pair<std::string, RangeKind>, Range>;

/// Statistics of one value, or of several values that share a range.
struct ValueStatistics {
  const Histogram& histogram;
  /// Extremes of each sample, in any order; of several values over all their elements. Empty: unknown.
  std::span<const Extremes> samples = {};
  FoundRanges* found = nullptr;  ///< choices for this value so far, which others may build on; nullptr: not kept

  /// Returns the choice of a calibrator, which is looked for once where `found` keeps it.
  [[nodiscard]] DETENT_API Range choice_of(const Calibrator& calibrator, RangeKind kind) const;
};

/// Algorithm that turns a histogram into a range. Stateless after construction; may be used from several threads.
class DETENT_API Calibrator {
 public:
  virtual ~Calibrator() = default;
  /// Chooses the range to keep, in real units; it contains 0. Grids that are not asymmetric get [-amax, amax].
  /// Empty   no finite element, or all zero -> {0, 0}.
  [[nodiscard]] virtual Range choose(const Histogram& histogram, RangeKind kind) const = 0;
  /// Chooses the range with the extremes of single samples, for calibrators that use them.
  [[nodiscard]] virtual Range choose_for(const ValueStatistics& value, RangeKind kind) const {
    return choose(value.histogram, kind);
  }
  /// Returns true where choose() is only an approximation of choose_for().
  [[nodiscard]] virtual bool looks_at_samples() const { return false; }
  /// Returns the text that make_calibrator() takes: "max", "percentile:99.99" ...
  [[nodiscard]] virtual std::string name() const = 0;
};

/// A calibrator by name.
struct CalibratorEntry {
  std::string_view name;     ///< "percentile"
  std::string_view summary;  ///< one line
  /// Makes the calibrator. `argument` is the text after the colon, or empty.
  /// Errors  Usage for an invalid argument.
  std::unique_ptr<Calibrator> (*make)(std::string_view argument);
};

/// Returns all calibrators.
[[nodiscard]] DETENT_API std::span<const CalibratorEntry> calibrator_list();

/// A rule of the caller's own, which make_calibrator() knows by its name while the object lives, in the whole process.
/// Ranges beyond the data are cut to them. An exception of the rule ends the work.
class DETENT_API OwnCalibrator {
 public:
  /// Chooses as Calibrator::choose, for histograms that are not all zero. Called from any thread.
  using Choose = std::function<Range(const Histogram& histogram, RangeKind kind)>;
  /// Errors  Usage when the name is empty, holds a colon, or is that of another calibrator.
  OwnCalibrator(std::string name, Choose choose);
  OwnCalibrator(const OwnCalibrator&) = delete;
  OwnCalibrator& operator=(const OwnCalibrator&) = delete;
  ~OwnCalibrator();

 private:
  std::string name_;
};

/// Returns true for the name of a calibrator, of an OwnCalibrator too.
[[nodiscard]] DETENT_API bool is_calibrator(std::string_view name);

/// Makes a calibrator from "entropy", "percentile:99.9", the name of an OwnCalibrator ...
/// Errors  Usage naming the known calibrators.
[[nodiscard]] DETENT_API std::unique_ptr<Calibrator> make_calibrator(std::string_view spec);

}  // namespace detent
