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
#include "report/build/documents.h"
#include "report/lists.h"
#include "report/quantities.h"
#include "report/text/aligned.h"
#include "report/text/document.h"

namespace detent {

/// Prints the reports as the commands do on stdout. Every text ends with a newline. Under Lists::Capped, similar lines
/// become one with their number, and the last line says that --all lists everything.
[[nodiscard]] std::string to_text(const ModelReport& report);
/// Prints a report that has a tree.
template <class Report>
requires requires(const Report& report) { build::document_of(report); }
[[nodiscard]] std::string to_text(const Report& report, Lists lists = Lists::Capped) {
  return to_text(build::document_of(report), lists);
}
/// Prints one line for each kind of finding.
[[nodiscard]] std::string to_text(const std::vector<FindingInfo>& kinds);
/// Prints the shares, causes and cures, the dearest layers, predictions, and what differs from another engine.
[[nodiscard]] std::string to_text(const ExplainReport& report, Lists lists = Lists::Capped);
/// Prints the text of each target, and the time of all.
[[nodiscard]] std::string to_text(const QuantizeTargetsReport& report, Lists lists = Lists::Capped);
[[nodiscard]] std::string to_text(const VerifyReport::Line& line);
/// Counts failed and unsupported folders by operator, and prints "N passed, M failed, K unsupported".
[[nodiscard]] std::string summary_text(const VerifyReport& report);
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
/// Returns "  and 3 outputs that are no worse\n"; "" for 0.
[[nodiscard]] std::string more_outputs_text(size_t count);
/// Returns "skipped 2 unreadable samples\n"; "" for 0.
[[nodiscard]] std::string skipped_text(size_t samples);
/// "3 com.microsoft.FusedConv, 1 com.microsoft.Attention"
[[nodiscard]] std::string expanded_text(const std::map<std::string, int64_t>& operators);
}  // namespace detent
