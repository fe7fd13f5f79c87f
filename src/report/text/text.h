#pragma once

#include <string>

#include "detent/cache.h"
#include "detent/cast.h"
#include "detent/compare.h"
#include "detent/explain.h"
#include "detent/inspect.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/repair.h"
#include "detent/run.h"
#include "detent/sensitivity.h"
#include "detent/verify.h"
#include "report/lists.h"
#include "report/quantities.h"
#include "report/text/aligned.h"

namespace detent {

/// Prints the reports as the commands do on stdout. Every text ends with a newline. Under Lists::Capped, similar lines
/// become one with their number, and the last line says that --all lists everything.
[[nodiscard]] std::string to_text(const ModelReport& report);
/// Prints layers, float ones first, and pairs; under Lists::All every edge.
[[nodiscard]] std::string to_text(const PlanReport& report, Lists lists = Lists::Capped);
/// Prints the engine that the file was built for, float layers, and each kind of finding with an example, its cure and
/// the number of others, worst first.
[[nodiscard]] std::string to_text(const LintReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const RepairReport& report, Lists lists = Lists::Capped);
/// Prints one line for each kind of finding.
[[nodiscard]] std::string to_text(const std::vector<FindingInfo>& kinds);
/// Prints the shares, causes and cures, the dearest layers, predictions, and what differs from another engine.
[[nodiscard]] std::string to_text(const ExplainReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const QuantizeReport& report, Lists lists = Lists::Capped);
/// A text for a terminal: the statements that users look for, and the others.
struct TerminalText {
  std::string first;  ///< verdict, cures or the next command, score, written file
  std::string rest;
};
[[nodiscard]] TerminalText terminal_text(const QuantizeReport& report, Lists lists);
/// Prints the text of each target, and the time of all.
[[nodiscard]] std::string to_text(const QuantizeTargetsReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const QuantizeWeightsReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const CastReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const VerifyReport::Line& line);
/// Counts failed and unsupported folders by operator, and prints "N passed, M failed, K unsupported".
[[nodiscard]] std::string summary_text(const VerifyReport& report);
/// Prints a table of the candidates with the best one marked.
[[nodiscard]] std::string to_text(const CompareCalibratorsReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const CompareTargetsReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const CompareTypesReport& report, Lists lists = Lists::Capped);
/// Prints layers, operators and values, worst first: the first `top` of each list, under Lists::All every one.
[[nodiscard]] std::string to_text(const SensitivityReport& report, size_t top, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const RunReport& report);
/// Prints operators by time, the nodes that take 95 % of it, and the collector.
[[nodiscard]] std::string to_text(const ProfileReport& report);
/// Prints the model, samples and targets of a table, without its values.
[[nodiscard]] std::string summary_text(const TableReport& report);
/// Prints a table with a line for each value.
[[nodiscard]] std::string to_text(const TableReport& report);
/// Prints a histogram.
[[nodiscard]] std::string to_text(const DistributionReport& report);
[[nodiscard]] std::string to_text(const CacheExportReport& report);
[[nodiscard]] std::string to_text(const CacheImportReport& report);

/// Returns "unet.onnx  opset 13, 25 nodes     target tensorrt:10.13".
[[nodiscard]] std::string model_line(const std::string& model, const PlanReport& plan, const std::string& target);
/// Returns "skipped 2 unreadable samples\n"; "" for 0.
[[nodiscard]] std::string skipped_text(size_t samples);
/// "3 com.microsoft.FusedConv, 1 com.microsoft.Attention"
[[nodiscard]] std::string expanded_text(const std::map<std::string, int64_t>& operators);
/// Returns "  and 3 outputs that are no worse\n"; "" for 0.
[[nodiscard]] std::string more_outputs_text(size_t count);
/// Prints "verdict: good (SQNR ..., ...)", limits, the values that cost most, and options to try. `outputs` is the
/// number of outputs that were compared.
[[nodiscard]] std::string verdict_text(const VerdictReport& verdict, size_t outputs = 1);
/// Prints "error against FP32 on 16 samples: ..." and a line for each of several outputs. `source` names the samples,
/// or is empty.
[[nodiscard]] std::string error_text(const ErrorReport& error, const std::string& source, Listing& listing);
/// Prints a line for each output, worst first, of many the first eight; "" for a single one.
[[nodiscard]] std::string outputs_text(const std::vector<ErrorReport::Output>& outputs, Listing& listing);
/// Prints "--max-drop 0.01: top-1 78.50 % (FP32 top-1 79.00 %), all INT8 ...; on 400 samples, 5 measurements in 3.2 s",
/// a line with its outcome, and a line for each operator without weights that stays float for the bound.
[[nodiscard]] std::string bound_text(const BoundReport& report);
/// Prints "score: top-1 78.50 % (FP32 top-1 79.00 %), drop ..., 95 % interval ...; on 400 samples": without a bound.
[[nodiscard]] std::string measured_score_text(const ScoreReport& score);
/// Returns a clause: "--max-drop 0.01 cannot be met ...".
[[nodiscard]] std::string unmet_text(const BoundReport& report);
/// Prints "airplane_0500.jpg alone sets the range of 63 of 113 values, up to 107 times the median sample" for the first
/// three samples, and the number of the others.
[[nodiscard]] std::string outlier_text(const OutlierReport& report, Listing& listing);
/// Prints the families that were tried with their gain, and the values whose channels differed most.
[[nodiscard]] std::string equalize_text(const EqualizeReport& report, Listing& listing);
[[nodiscard]] std::string bias_correction_text(const BiasCorrectionReport& report);

}  // namespace detent
