#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/range_overrides.h"
#include "detent/calibration_report.h"
#include "detent/calibrator.h"
#include "detent/data_source.h"
#include "detent/equalize_options.h"
#include "detent/equalize_report.h"
#include "detent/format_options.h"
#include "detent/placement_options.h"
#include "detent/run_settings.h"
#include "model/graph/value_shapes.h"
#include "model/model.h"
#include "observe/calibration_table.h"
#include "pipeline/parts/half_setup.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/plan_report.h"
#include "place/plan/placement_plan.h"
#include "prepare/prepare_model.h"
#include "rewrite/rewrite.h"
#include "tune/choose_calibrator.h"
#include "tune/equalize/equalized_model.h"

namespace detent {

/// The options that all commands which quantize have in common. Looks at options that must outlive it.
struct SetupOptions {
  const std::filesystem::path& model;
  const DataOptions& data;             ///< without sources: the table alone
  const std::filesystem::path& table;  ///< empty: ranges come from the data
  const std::filesystem::path& override_file;
  const std::string& target;
  const PlacementOptions& placement;
  const FormatOptions& format;
  const EqualizeOptions& equalize;
  std::vector<std::string> calibrators;  ///< that --equalize auto judges with
  const RunSettings& run;
  OutlierPolicy outliers = OutlierPolicy::Clip;
  const DataOptions* eval = nullptr;                ///< other data with the same preprocessing; nullptr: none
  const std::filesystem::path* one_file = nullptr;  ///< what all must fit into; nullptr: no such file
  bool identify = false;                            ///< Setup::identified keeps which samples were read
};

/// A float model as the target wants it, and where its pairs go: several quantized variants are made of it.
struct Setup {
  Model model;  ///< prepared, float
  ModelFacts facts;
  Preparation preparation;
  RewriteOptions format;
  ValueShapes shapes;  ///< for one sample; empty where neither data nor declared sizes tell them
  PlacementPlan plan;
  RangeOverrides overrides;
  std::optional<CalibrationTable> table;
  std::unique_ptr<DataSource> data;               ///< to calibrate with; nullptr: the table alone
  const IdentifiedSamples* identified = nullptr;  ///< `data`, where that was asked for
  std::optional<EqualizedModel> equalized;
  std::optional<HalfSetup> half;  ///< where what is not quantized computes in 16 bits
  RunSettings run;
  OutlierPolicy policy = OutlierPolicy::Clip;
  PlacementOptions placement;
  OutlierReport outlier_report;       ///< of all samples; known after calibrate_plan()
  std::set<std::string> outliers;     ///< names of samples that `policy` speaks of; known after calibrate_plan()
  std::unique_ptr<DataSource> usual;  ///< `data` without them, where they are dropped

  /// The float model that quantized ones are compared with.
  [[nodiscard]] const Model& reference() const { return half ? *half->float32 : model; }
  [[nodiscard]] std::optional<EqualizeReport> equalize_report() const {
    return equalized ? std::optional(equalized->report) : std::nullopt;
  }
  /// Lets these nodes compute in FP32: the model and the plan are made anew. There is a half model; before calibrate_plan().
  /// Errors  those of set_up().
  void force_float32(ForcedFloat32 nodes);
  /// Histograms of the plan's values, and which samples are outliers; where those are dropped a second pass runs without them. The
  /// plan is made anew where values of the residual stream are ruined by INT8 (ruined_readers): they keep no pair and no histogram.
  /// Errors  those of measure(); Usage when samples of a table are to be dropped, which keeps no histograms of single ones.
  [[nodiscard]] Calibration calibrate_plan();
  /// Histograms of the values, from the table or a pass over the data; of a model in a 16-bit type those of the model as it was,
  /// which is what a table knows. Errors  those of calibration_from or calibrate.
  [[nodiscard]] Calibration measure(std::span<const ValueId> values) const;
  /// The samples to calibrate with. There is data.
  [[nodiscard]] const DataSource& samples() const { return usual ? *usual : *data; }
  /// This object and the calibrator must outlive the choice.
  [[nodiscard]] RangeChoice range_choice(const Calibrator& calibrator) const;
  /// Ranges by calibrator, each computed once; `calibration` and this object must outlive the function.
  [[nodiscard]] RangesOf ranges_from(const Calibration& calibration) const;
  /// The ranges of `calibrator`; without one, those of the calibrator that is measured to be best.
  /// Errors  those of choose_calibrator.
  [[nodiscard]] ChosenRanges choose(std::unique_ptr<Calibrator> calibrator, const Calibration& calibration,
                                    const ChoiceEffort& effort = {}) const;

 private:
  [[nodiscard]] Calibration measure_in(const Graph& graph, std::span<const ValueId> values) const;
  void keep_ruined_float(Calibration& calibration);
  /// In the model before it became half.
  [[nodiscard]] Calibration measure_before(std::span<const ValueId> values) const;
};

/// The steps from the options to the placement plan. Errors  those of reading, preparing, equalizing and placing; Usage when
/// there is neither a table nor data; those of check_one_file.
[[nodiscard]] Setup set_up(const SetupOptions& options);

/// The named calibrator; nullptr for "auto". Errors  those of make_calibrator.
[[nodiscard]] std::unique_ptr<Calibrator> named_calibrator(const std::string& spec);

}  // namespace detent
