#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"
#include "place/plan/placement_plan.h"

namespace detent {

/// Ranges for many plans of one graph: each histogram is searched once, and values that only some plans quantize are
/// measured when those plans come. What it looks at must outlive it.
class RangeBook {
 public:
  /// Calibrates more values on the same data. What a value's histogram becomes does not depend on the others.
  using Measure = std::function<Calibration(std::span<const ValueId>)>;

  /// known  ranges to begin with: those that some plan's values got otherwise than by `choice`.
  RangeBook(Calibration calibration, const RangeChoice& choice, Measure measure, KnownRanges known = {})
      : calibration_(std::move(calibration)), choice_(choice), measure_(std::move(measure)), known_(std::move(known)) {}

  /// One pass for everything that these plans quantize and that was not measured yet. Errors  those of measuring.
  void measure_for(std::span<const PlacementPlan> plans);
  /// For every value that the plan quantizes. Errors  those of measuring.
  [[nodiscard]] std::map<ValueId, Range> ranges_of(const PlacementPlan& plan);

  [[nodiscard]] const Calibration& calibration() const { return calibration_; }
  [[nodiscard]] const Calibrator& calibrator() const { return choice_.calibrator; }

 private:
  Calibration calibration_;
  RangeChoice choice_;
  Measure measure_;
  KnownRanges known_;
};

}  // namespace detent
