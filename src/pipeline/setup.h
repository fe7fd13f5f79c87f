#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "detent/detent.h"
#include "calibrate/calibration.h"
#include "tune/equalize/equalized_model.h"
#include "tune/choose_calibrator.h"
#include "pipeline/plan_report.h"
#include "prepare/prepare_model.h"
#include "calibrate/range_overrides.h"

namespace detent {

/// What is asked of a quantized model besides its calibrator. Looks at options that must outlive it.
struct PlanningOptions {
  const std::filesystem::path& model;
  const DataOptions& data;
  const std::filesystem::path& override_file;
  const std::string& target;
  const PlacementOptions& placement;
  const FormatOptions& format;
  const EqualizeOptions& equalize;
  std::vector<std::string> calibrators;  ///< that --equalize auto judges with
  const RunSettings& run;
};

/// A float model as the target wants it, and where its pairs go: what several quantized variants are made of.
struct PlannedModel {
  Model model;  ///< prepared, float
  ModelFacts facts;
  Preparation preparation;
  RewriteOptions format;
  ValueShapes shapes;  ///< for one sample
  PlacementPlan plan;
  RangeOverrides overrides;
  std::unique_ptr<DataSource> data;  ///< to calibrate with
  std::optional<EvenedChannels> evened;

  /// The float model that quantized ones are compared with.
  [[nodiscard]] const Model& reference() const { return reference_of(model, evened); }
  [[nodiscard]] std::optional<EqualizeReport> equalized() const {
    return evened ? std::optional(evened->report) : std::nullopt;
  }
  [[nodiscard]] RangeKind range_kind() const;
  /// Ranges by calibrator, each computed once; `calibration` and this object must outlive the function.
  [[nodiscard]] RangesOf ranges_from(const Calibration& calibration, size_t threads) const;
  /// The model that `quantize` would write with these ranges and, where there are any, these biases.
  [[nodiscard]] Model quantized(const std::map<ValueId, Range>& ranges, const GraphPatch& biases = {}) const;
};

/// The steps of quantize_model up to the calibration. Errors  as there.
[[nodiscard]] PlannedModel plan_model_for(const PlanningOptions& options);

}  // namespace detent
