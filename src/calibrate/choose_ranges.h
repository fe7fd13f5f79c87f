#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "detent/base/histogram.h"
#include "detent/base/qparams.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// The measurements of values that get one range together.
struct MergedStatistics {
  Histogram histogram;
  std::vector<Extremes> samples;  ///< of the union of their elements; empty: not known

  /// Adds a value that was measured in the same samples, or a constant: give its {min, max} once for each sample.
  void include(const Histogram& added, std::span<const Extremes> of_samples);
  [[nodiscard]] ValueStatistics view(FoundRanges* found = nullptr) const { return {histogram, samples, found}; }
};

/// Returns the error of a calibrator that needs single samples where a table does not have them: TableMismatch.
[[nodiscard]] Error lacks_samples(const Calibrator& calibrator, const std::string& value);

/// Ranges chosen before, by the values that got one together and whether any of them has 16-bit codes.
using KnownRanges = std::map<std::pair<std::vector<ValueId>, bool>, Range>;

/// The choices of calibrators for values that get a range together.
using FoundByValues = std::map<std::vector<ValueId>, FoundRanges>;

[[nodiscard]] const std::set<std::string>& no_samples();

/// Returns the ranges of a plan's values in the form of choose_ranges().
[[nodiscard]] KnownRanges known_ranges(const PlacementPlan& plan, const std::map<ValueId, Range>& ranges);

/// The rules for choosing ranges from a calibration. Its members must outlive it.
struct RangeChoice {
  const Graph& graph;
  const Calibrator& calibrator;
  const RangeOverrides& overrides;        ///< checked (check_overrides)
  RangeKind kind = RangeKind::Symmetric;  ///< of 8 or 16 bits; the plan's wide values have 16
  size_t threads = 1;
  /// Outlier samples: no measured range goes beyond the other samples. Overrides, given ranges and values whose samples
  /// are not distinguished are not cut.
  const std::set<std::string>& clipped_samples = no_samples();
  FoundByValues* found = nullptr;  ///< of the same calibration; used and added to
};

/// Returns the reach of a value in the samples that are not left out. extremes  in parallel with names.
[[nodiscard]] Extremes reach_without(std::span<const Extremes> extremes, std::span<const std::string> names,
                                     const std::set<std::string>& left_out);

/// Returns `range` cut to `reach`; it still contains 0. A reach of only zeros cuts nothing.
[[nodiscard]] Range clipped(const Range& range, const Extremes& reach, RangeKind kind);

/// Returns one range per paired value: the user's, an imported scale, the plan's fixed range, or the calibrator's
/// choice from the histogram, merged over the scale group, whose members get the same range. A calibrator among the
/// overrides comes before a fixed range, but not beyond a limit. Values are handled in parallel.
/// known   ranges by the same calibration and choice: they are used, and new ones are added.
/// Errors  TableMismatch for a calibrator that needs single samples where the calibration does not have them.
[[nodiscard]] std::map<ValueId, Range> choose_ranges(const PlacementPlan& plan, const Calibration& calibration,
                                                     const RangeChoice& choice, KnownRanges* known = nullptr);

/// Calibrates more values on the same data.
using MeasureValues = std::function<Calibration(std::span<const ValueId>)>;

/// Measures in one pass the values of these plans that `calibration` lacks. Errors  those of `measure`.
void measure_missing(Calibration& calibration, std::span<const PlacementPlan> plans, const MeasureValues& measure);

/// Ranges for many plans of one graph. Each histogram is searched once; values that only some plans quantize are
/// measured when those plans come. Its arguments must outlive it.
class RangeBook {
 public:
  /// known  ranges to begin with, chosen otherwise than by `choice`.
  RangeBook(Calibration calibration, const RangeChoice& choice, MeasureValues measure, KnownRanges known = {})
      : calibration_(std::move(calibration)), choice_(choice), measure_(std::move(measure)), known_(std::move(known)) {}

  /// Measures values of these plans, as measure_missing() does.
  void measure_for(std::span<const PlacementPlan> plans) { measure_missing(calibration_, plans, measure_); }
  /// Returns the range of every value that the plan quantizes. Errors  those of measuring.
  [[nodiscard]] std::map<ValueId, Range> ranges_of(const PlacementPlan& plan);

  [[nodiscard]] const Calibration& calibration() const { return calibration_; }
  [[nodiscard]] const Calibrator& calibrator() const { return choice_.calibrator; }

 private:
  Calibration calibration_;
  RangeChoice choice_;
  MeasureValues measure_;
  KnownRanges known_;
};

}  // namespace detent
