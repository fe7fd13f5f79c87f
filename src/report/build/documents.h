#pragma once

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
#include "report/document/document.h"
#include "report/lists.h"

namespace detent::build {

/// Makes the document of a report. It points into the report, which must outlive it.
[[nodiscard]] document::Document document_of(const PlanReport& report);
[[nodiscard]] document::Document document_of(const LintReport& report);
/// Lists the kinds of findings.
[[nodiscard]] document::Document document_of(const std::vector<FindingInfo>& kinds);
[[nodiscard]] document::Document document_of(const QuantizeReport& report);
[[nodiscard]] document::Document document_of(const QuantizeTargetsReport& report);
[[nodiscard]] document::Document document_of(const RepairReport& report);
[[nodiscard]] document::Document document_of(const QuantizeWeightsReport& report);
[[nodiscard]] document::Document document_of(const CastReport& report);
/// lists  Capped: for texts that list only the first layers of each cause; of the others the rows hold what is counted
[[nodiscard]] document::Document document_of(const ExplainReport& report, Lists lists = Lists::All);
[[nodiscard]] document::Document document_of(const RunReport& report);
[[nodiscard]] document::Document document_of(const VerifyReport& report);
[[nodiscard]] document::Document document_of(const CacheExportReport& report);
[[nodiscard]] document::Document document_of(const CacheImportReport& report);
[[nodiscard]] document::Document document_of(const ModelReport& report);
[[nodiscard]] document::Document document_of(const DistributionReport& report);
/// Purpose of the document of a table.
enum class TableUse : uint8_t {
  Made,      ///< by the command: says where it is
  Inspected  ///< lists its values
};
[[nodiscard]] document::Document document_of(const TableReport& report, TableUse use = TableUse::Inspected);
[[nodiscard]] document::Document document_of(const CompareCalibratorsReport& report);
[[nodiscard]] document::Document document_of(const CompareTargetsReport& report);
[[nodiscard]] document::Document document_of(const CompareTypesReport& report);
/// top  layers and values in capped texts
[[nodiscard]] document::Document document_of(const SensitivityReport& report, size_t top = 20);
/// Makes the text of the layers that a comparison measures last, below its own.
[[nodiscard]] document::Document document_below_comparison(const SensitivityReport& report, size_t top);

}  // namespace detent::build
