#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/compare.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/sensitivity.h"

namespace detent::html {

/// The parts of the page, each a <section> with its heading, or "" when there is nothing to show.

/// The models and samples that were compared, the winner, and by how much it won. Always there.
[[nodiscard]] std::string summary_section(const ComparisonReport& report);
/// The cost of all layers together, and the layer that costs most. Always there.
[[nodiscard]] std::string summary_section(const SensitivityReport& report);
/// The verdict with what it rests on, what one must know and what to try next. Always there.
[[nodiscard]] std::string summary_section(const QuantizeReport& report);
/// The same for weights alone.
[[nodiscard]] std::string summary_section(const QuantizeWeightsReport& report);
/// Every layer with a weight: its type, what its codes lose, or why it stays float; and what rounding by inputs gained.
[[nodiscard]] std::string weights_section(const QuantizeWeightsReport& report);
/// How much of the plan is INT8. Always there.
[[nodiscard]] std::string summary_section(const PlanReport& plan);
/// The findings counted, what the file was built for, and what of it runs in INT8. Always there.
[[nodiscard]] std::string summary_section(const LintReport& report);
/// The kinds of findings with their cures, and every finding.
[[nodiscard]] std::string findings_section(const LintReport& report);
/// The values whose channels equalization could even out, by family.
[[nodiscard]] std::string equalizable_section(const PlanReport& plan);
/// What the outputs gain without the pair of one value. Names link to the value's histogram where there is one.
[[nodiscard]] std::string blame_section(const VerdictReport& verdict, const std::vector<ValueHistogram>& histograms);
/// How many values' ranges each calibration sample sets alone, as a plot, and a table of the first samples.
[[nodiscard]] std::string outliers_section(const OutlierReport& report);
/// The candidates that "auto" measured.
[[nodiscard]] std::string choice_section(const std::optional<CalibratorMeasurement>& measured);
/// What each step of the best level gained, and whether it was kept. Without steps "".
[[nodiscard]] std::string accuracy_section(const AccuracyReport& accuracy);
/// SQNR and cosine of each output of the written model.
[[nodiscard]] std::string error_section(const std::optional<ErrorReport>& error);
/// What the written file says of its making, and the type of its floats where it is not FP32.
[[nodiscard]] std::string provenance_section(const Provenance& provenance, const std::optional<FloatReport>& floats);
/// One row a variant with every metric; the outputs one by one where there are several.
[[nodiscard]] std::string candidates_section(const ComparisonReport& report);
/// How many nodes compute in the 16-bit type and which stay FP32, by reason and one by one; "" where none was asked
/// for.
[[nodiscard]] std::string floats_section(const std::optional<FloatReport>& report);
/// Below the candidates, where they are types: size of the file and of its weights, shares of the types, how each was
/// made. Else "".
[[nodiscard]] std::string type_sizes_table(const ComparisonReport& report);
/// How much of the model runs in INT8; where something is half, how much is INT8, half and FP32.
[[nodiscard]] std::string coverage_section(const CoverageReport& coverage);
/// Families that were tried, and the imbalance of the channels of every value that was equalized, before and after; and
/// what correcting the biases behind it gained.
[[nodiscard]] std::string equalization_section(const std::optional<EqualizeReport>& report,
                                               const std::optional<BiasCorrectionReport>& correction = std::nullopt);
/// SQNR at the output when one layer is quantized, and when all others are.
[[nodiscard]] std::string sensitivity_section(const SensitivityReport& report);
/// What the part with the values looks at.
struct ValuesView {
  const std::vector<ValueHistogram>& histograms;
  const PlanReport& plan;
  std::string best;                              ///< the calibrator whose range stands out
  std::map<std::string, double> own_sqnr_db;     ///< of values by name, behind their own pair; empty: not measured
  std::map<std::string, std::string> encodings;  ///< a sentence by name: how the value is represented; may be empty
};
/// Every value's histogram with its ranges, chosen from a list: largest own error first where that was measured, else
/// widest disagreement of the calibrators, for a single one what its range leaves out.
[[nodiscard]] std::string values_section(const ValuesView& view);
/// The list alone, of values whose histograms are not known.
[[nodiscard]] std::string scales_section(const std::vector<QuantizeReport::QuantizedValue>& values);
/// Layers and edges with the decision and its reason.
[[nodiscard]] std::string placement_section(const PlanReport& plan);

}  // namespace detent::html
