#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/error_report.h"
#include "model/graph_patch.h"
#include "pipeline/parts/prepared.h"
#include "tune/choose_calibrator.h"
#include "tune/float_variants.h"

namespace detent {

/// The measurements of the values that get a pair, from the data or the table.
struct Measured {
  Calibration calibration = {};
  OutlierReport outlier_report = {};            ///< of all samples
  std::set<std::string> outliers = {};          ///< names of the outlier samples
  std::unique_ptr<DataSource> usual = nullptr;  ///< the data without them, where they are dropped
  const DataSource* samples = nullptr;          ///< to calibrate with; nullptr: the table alone
  mutable FoundByValues found = {};             ///< what calibrators chose so far, each once
};

/// The calibrator, ranges, constants and format that a model is quantized with.
struct Chosen : ChosenRanges {
  RewriteOptions format = {};  ///< the recipe's, with the choices for single weights
  GraphPatch constants = {};   ///< weights and biases of the float model to replace; empty where nothing was kept
  std::optional<BiasCorrectionReport> biases = {};
  std::vector<AccuracyReport::Step> steps = {};
};

/// One way to quantize a model: its plan, what was measured, and what was chosen.
struct Attempt {
  Prepared prepared;
  Measured measured = {};
  Chosen chosen = {};
};

/// Takes a change: makes the plan again and measures what it needs. A search itself changes nothing that another reads.
/// Errors  those of make() and of measuring.
void apply(Change change, Attempt& attempt);

/// Measures histograms of the plan's values and finds outlier samples; where those are dropped, a second pass runs
/// without them. Applies what these tell: no pairs on values of the residual stream that INT8 ruins (ruined_readers),
/// separate scales where others hide a value (values_apart).
/// Errors  those of calibration_from() or calibrate(); Usage when samples of a table are to be dropped: it has no
///         histograms of single samples.
[[nodiscard]] Attempt measure(Prepared prepared);

/// Announces the values that measure() will ask the recipe's pass for. Nothing without one, or with a table.
void announce_values(const Prepared& prepared);

/// With scales at run time, finds products whose data 8 bits ruin (ruined_readers), and those that do better with a
/// scale in advance (find_fixed_products). No data -> none.
/// calibrator  of these scales; nullptr: mse
[[nodiscard]] Change find_fixed_scales(const Attempt& attempt, const Calibrator* calibrator);

/// True where the plan has attention that becomes INT8 if the data allow it (AttentionDecision::may_be_int8).
[[nodiscard]] bool has_attention_to_try(const Attempt& attempt);

/// Finds out what INT8 attention costs (find_int8_attention). No data -> no change.
/// calibrator  of its scales; nullptr: mse
[[nodiscard]] Change try_int8_attention(const Attempt& attempt, const Calibrator* calibrator);

/// Finds layers that ruin the whole network (find_ruinous_layers). None without data.
/// calibrator  to measure with; nullptr: mse
/// Errors  those of find_ruinous_layers().
[[nodiscard]] Change find_ruinous(const Attempt& attempt, const Calibrator* calibrator);

/// Keeps those float and chooses as choose() does. Without a calibrator, they are looked for only where the first round
/// leaves the outputs less than kSurelyEnoughDb with each; where some are found, the choice begins anew.
/// Errors  those of find_ruinous() and choose().
[[nodiscard]] Chosen choose_beside_float(Attempt& attempt, std::unique_ptr<Calibrator> calibrator,
                                         const ChoiceEffort& effort);

/// Describes the plan alone, for TensorRT also what counts tell about the speed of its file. Measures only where the
/// plan has pairs on the residual stream, which INT8 may ruin. Errors  those of measure() and describe_placement().
[[nodiscard]] PlanReport describe_final_plan(Prepared prepared);

/// Returns ranges by calibrator, each computed once. Both arguments must outlive it.
[[nodiscard]] RangesOf ranges_from(const Prepared& prepared, const Measured& measured);
/// Returns ranges for other plans of the model, measuring what they need; it begins with `ranges` of the plan's values.
/// All arguments except the ranges must outlive it.
/// kind  of the codes' ranges; absent: the recipe's. With another one it begins with none.
[[nodiscard]] RangeBook range_book(const Prepared& prepared, const Measured& measured, const Calibrator& calibrator,
                                   const std::map<ValueId, Range>& ranges, std::optional<RangeKind> kind = {});

/// Returns the model that the choice writes.
/// Errors  those of quantized_model().
[[nodiscard]] Model model_of(const Prepared& prepared, const Chosen& chosen);

/// Chooses the ranges of `calibrator`, or without one those of the calibrator measured to be best. A model in a 16-bit
/// type is measured with the rest in FP32, where the plan of the FP32 model has the same values: candidates then differ
/// without the noise of 16-bit floats.
/// Errors  those of choose_calibrator.
[[nodiscard]] Chosen choose(const Prepared& prepared, const Measured& measured, std::unique_ptr<Calibrator> calibrator,
                            const ChoiceEffort& effort = {}, const EndsWith& ends_with = {});

/// Returns the named calibrator; nullptr for "auto".
/// Errors  those of make_calibrator.
[[nodiscard]] std::unique_ptr<Calibrator> named_calibrator(const std::string& spec);

}  // namespace detent
