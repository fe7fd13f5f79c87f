#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detent/compare.h"
#include "detent/explain.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/repair.h"
#include "detent/sensitivity.h"
#include "report/compared_types.h"

namespace detent {
struct PageOrigin;
}

namespace detent::html {

/// Style and script of the page: all .css and all .js files of src/report/html/page, ordered by name and embedded by
/// src/report/html/embed_page.cmake.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

/// Parts of the page. Each function prints one; "" when there is nothing to show. Summaries are never empty.

/// Prints the samples, the winner, and its lead over the next candidate.
[[nodiscard]] std::string summary_section(const PrintedComparison& report);
/// Prints the cost of all layers together, and the layer that costs most.
[[nodiscard]] std::string summary_section(const SensitivityReport& report);
/// Prints the verdict with its reasons, limits and cures.
[[nodiscard]] std::string summary_section(const QuantizeReport& report);
[[nodiscard]] std::string summary_section(const QuantizeWeightsReport& report);
/// Prints the shares of types and of reformats.
[[nodiscard]] std::string summary_section(const ExplainReport& report);
/// Prints every layer of an engine with a bar for its share, its cause and its cure.
[[nodiscard]] std::string engine_layers_section(const ExplainReport& report);
/// Prints the layers that another engine builds otherwise.
[[nodiscard]] std::string engine_differences_section(const ExplainReport& report);
/// Prints the findings before and after, and the number of pairs by what became of them.
[[nodiscard]] std::string summary_section(const RepairReport& report);
/// Prints each score of the file before and of the written file.
[[nodiscard]] std::string repair_scores_section(const RepairReport& report);
/// Prints every pair with what became of it and why.
[[nodiscard]] std::string repaired_pairs_section(const RepairReport& report);
/// Prints every weighted layer with its type and loss, or why it stays float; and the gain of rounding.
[[nodiscard]] std::string weights_section(const QuantizeWeightsReport& report);
/// Prints the gain at the outputs without the pair of one value. Names link to the value's histogram, if there is one.
[[nodiscard]] std::string blame_section(const VerdictReport& verdict, const std::vector<ValueHistogram>& histograms);
/// Draws the number of ranges that each calibration sample sets alone, and lists the first samples.
[[nodiscard]] std::string outliers_section(const OutlierReport& report);
/// Prints the candidates that "auto" measured.
[[nodiscard]] std::string choice_section(const std::optional<CalibratorMeasurement>& measured);
/// Prints the gain of each step of the accuracy level, and whether it was kept.
[[nodiscard]] std::string accuracy_section(const AccuracyReport& accuracy);
/// Prints SQNR and cosine of each output of the written model.
[[nodiscard]] std::string error_section(const std::optional<ErrorReport>& error);
/// Prints pictures with the boxes of both models, worst first, and a plot of the scores in one over those in the other.
[[nodiscard]] std::string detections_section(const std::optional<DetectionPictures>& shown);
/// Prints the origin of the page.
[[nodiscard]] std::string origin_section(const PageOrigin& origin);
/// Prints the provenance in the written file, and the type of its floats where it is not FP32.
[[nodiscard]] std::string provenance_section(const Provenance& provenance, const std::optional<FloatReport>& floats);
/// Prints one row per variant with every metric, and single outputs where there are several.
[[nodiscard]] std::string candidates_section(const PrintedComparison& report);
/// Prints the families that were tried, the imbalance of channels before and after, and the gain of bias correction.
[[nodiscard]] std::string equalization_section(const std::optional<EqualizeReport>& report,
                                               const std::optional<BiasCorrectionReport>& correction = std::nullopt);
/// Prints the SQNR at the output with one layer quantized, and with all others.
[[nodiscard]] std::string sensitivity_section(const SensitivityReport& report);

/// Input of values_section().
struct ValuesView {
  const std::vector<ValueHistogram>& histograms;
  const PlanReport& plan;
  std::string best;                              ///< the calibrator whose range is highlighted
  std::map<std::string, double> own_sqnr_db;     ///< of values by name, after their pair; empty: not measured
  std::map<std::string, std::string> encodings;  ///< a sentence about the encoding by name; may be empty
};
/// Prints every value's histogram with its ranges, selected from a list: the largest error first if it was measured,
/// else the largest difference of the calibrators, or the most clipped with one calibrator.
[[nodiscard]] std::string values_section(const ValuesView& view);
/// Lists values without histograms.
[[nodiscard]] std::string scales_section(const std::vector<QuantizeReport::QuantizedValue>& values);
/// Draws the graph before and after a repair side by side, as graph_section() does, with pairs by what becomes of them.
[[nodiscard]] std::string repaired_graphs_section(const RepairReport& report);

}  // namespace detent::html
