#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/range_book.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/error_report.h"
#include "model/graph_patch.h"
#include "pipeline/parts/prepared.h"
#include "tune/choose_calibrator.h"

namespace detent {

/// The measurements of the values that get a pair, from the data or the table.
struct Measured {
  Calibration calibration = {};
  OutlierReport outlier_report = {};            ///< of all samples
  std::set<std::string> outliers = {};          ///< names of the samples that the recipe's policy is for
  std::unique_ptr<DataSource> usual = nullptr;  ///< the data without them, where they are dropped
  const DataSource* samples = nullptr;          ///< to calibrate with; nullptr: the table alone
};

/// The calibrator, ranges, constants and format that a model is quantized with, beside the plan.
struct Chosen : ChosenRanges {
  RewriteOptions format = {};  ///< the recipe's, with what was chosen for single weights
  GraphPatch constants = {};   ///< weights and biases of the float model to replace; empty where nothing was kept
  std::optional<BiasCorrectionReport> biases = {};
  std::vector<AccuracyReport::Step> steps = {};
};

/// Histograms of the plan's values, and which samples are outliers; where those are dropped a second pass runs without
/// them. Makes `prepared` again without pairs on values of the residual stream that INT8 ruins (ruined_readers). Errors
/// those of measure_values(); Usage when samples of a table are to be dropped, which keeps no histograms of single
/// ones.
[[nodiscard]] Measured measure(Prepared& prepared);

/// The plan by itself: measures only where the plan has pairs on the residual stream, which INT8 may ruin.
/// Errors  those of measure() and describe_placement().
[[nodiscard]] PlanReport describe_final_plan(Prepared& prepared);

/// Histograms of the values, from the table or a pass over `samples`; of a model in a 16-bit type those of the FP32
/// model, which a table knows.
/// Errors  those of calibration_from or calibrate.
[[nodiscard]] Calibration measure_values(const Prepared& prepared, const DataSource* samples,
                                         std::span<const ValueId> values);

/// All arguments must outlive the choice.
[[nodiscard]] RangeChoice range_choice(const Prepared& prepared, const Measured& measured,
                                       const Calibrator& calibrator);
/// Ranges by calibrator, each computed once. Both arguments must outlive the function.
[[nodiscard]] RangesOf ranges_from(const Prepared& prepared, const Measured& measured);
/// Ranges for other plans of the model, which measures what they need; it begins with `ranges` of the plan's values.
/// All arguments but the ranges must outlive the book.
[[nodiscard]] RangeBook range_book(const Prepared& prepared, const Measured& measured, const Calibrator& calibrator,
                                   const std::map<ValueId, Range>& ranges);

/// The ranges of `calibrator`; without one, those of the calibrator that is measured to be best. Of a model in a 16-bit
/// type it is measured with the rest in FP32, where the plan of the FP32 model has no other values: the choice is that
/// of the FP32 file, and candidates differ without the noise of 16-bit floats.
/// Errors  those of choose_calibrator.
[[nodiscard]] Chosen choose(const Prepared& prepared, const Measured& measured, std::unique_ptr<Calibrator> calibrator,
                            const ChoiceEffort& effort = {});

/// The named calibrator; nullptr for "auto".
/// Errors  those of make_calibrator.
[[nodiscard]] std::unique_ptr<Calibrator> named_calibrator(const std::string& spec);

}  // namespace detent
