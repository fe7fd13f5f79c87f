#pragma once

#include <string>

#include "detent/cache.h"
#include "detent/cast.h"
#include "detent/compare.h"
#include "detent/inspect.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/run.h"
#include "detent/sensitivity.h"
#include "detent/verify.h"
#include "report/lists.h"

namespace detent {

/// The same reports for people: what the commands print on stdout. Every text ends with a newline. Under Lists::Capped,
/// lines that say the same of many names are one line with their count, and a last one says that --all lists
/// everything.
[[nodiscard]] std::string to_text(const ModelReport& report);
/// Layers, those that stay float first, and pairs; under Lists::All every edge.
[[nodiscard]] std::string to_text(const PlanReport& report, Lists lists = Lists::Capped);
/// What the file was built for, layers that stay float, then the findings, worst first: each kind with an example, its
/// cure and how many more there are.
[[nodiscard]] std::string to_text(const LintReport& report, Lists lists = Lists::Capped);
/// One line a kind of finding.
[[nodiscard]] std::string to_text(const std::vector<FindingInfo>& kinds);
[[nodiscard]] std::string to_text(const QuantizeReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const QuantizeWeightsReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const CastReport& report, Lists lists = Lists::Capped);
/// "verdict: good (SQNR ..., ...)", then caveats, the values that cost most, and options to try, a line each.
/// outputs   of the model that were compared.
[[nodiscard]] std::string verdict_text(const VerdictReport& verdict, size_t outputs = 1);
/// "error against FP32 on 16 samples: ..." and a line for each of several outputs. source: what was measured on; may be
/// empty.
[[nodiscard]] std::string error_text(const ErrorReport& error, const std::string& source, Listing& listing);
/// How much is INT8, half and FP32, a line for MACs and one for activation bytes; "" where nothing is half.
[[nodiscard]] std::string types_text(const TypeShares& types, CodeType codes = CodeType::Int8);
/// How many nodes compute in the 16-bit type, how many casts there are, and the nodes that stay FP32 with their
/// reasons.
[[nodiscard]] std::string float_text(const FloatReport& report, Listing& listing);
[[nodiscard]] std::string to_text(const VerifyReport::Line& line);
/// Failed and unsupported folders counted by operator, then "N passed, M failed, K unsupported".
[[nodiscard]] std::string summary_text(const VerifyReport& report);
/// A table of the candidates, the best one marked.
[[nodiscard]] std::string to_text(const ComparisonReport& report, Lists lists = Lists::Capped);
/// Layers, operators and values, worst first; of each list the first `top`, under Lists::All every one.
[[nodiscard]] std::string to_text(const SensitivityReport& report, size_t top, Lists lists = Lists::Capped);
/// "--max-drop 0.01: top-1 78.50 % (FP32 top-1 79.00 %), all INT8 ...; on 400 samples, 5 measurements in 3.2 s", then a
/// line for each operator without weights that stays float for it.
[[nodiscard]] std::string bound_text(const BoundReport& report);
/// A sentence: "--max-drop 0.01 cannot be met: ...".
[[nodiscard]] std::string unmet_text(const BoundReport& report);
/// With the profile, if there is one.
[[nodiscard]] std::string to_text(const RunReport& report);
/// Operators by time, the nodes that take 95 % of it, and the collector.
[[nodiscard]] std::string to_text(const ProfileReport& report);

/// The model, samples and targets of the table; the line of each value is left out.
[[nodiscard]] std::string summary_text(const TableReport& report);
/// With a line for each value.
[[nodiscard]] std::string to_text(const TableReport& report);
/// A histogram of text.
[[nodiscard]] std::string to_text(const DistributionReport& report);
[[nodiscard]] std::string to_text(const CacheExportReport& report);
[[nodiscard]] std::string to_text(const CacheImportReport& report);

/// "airplane_0500.jpg alone sets the range of 63 of 113 values, up to 107 times the median sample"; a line for each of
/// the first three, and how many more there are. Empty when there is none.
[[nodiscard]] std::string outlier_text(const OutlierReport& report, Listing& listing);

/// A line for each output, worst first, of many the first eight; "" for a single one, of which the line above tells
/// all.
[[nodiscard]] std::string outputs_text(const std::vector<ErrorReport::Output>& outputs, Listing& listing);

/// The families that were tried, those that were kept and their gain, and the values whose channels differed most.
[[nodiscard]] std::string equalize_text(const EqualizeReport& report, Listing& listing);
/// "equalizable: 16 values behind gates, 9 linear (--equalize gate,linear)"; "equalizable: nothing" when there is none.
[[nodiscard]] std::string equalizable_text(const std::vector<PlanReport::Equalizable>& families);
[[nodiscard]] std::string bias_correction_text(const BiasCorrectionReport& report);

}  // namespace detent
