#pragma once

#include "detent/cast.h"
#include "detent/compare.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/repair.h"
#include "detent/sensitivity.h"
#include "report/document/document.h"

namespace detent::build {

/// Makes the document of a report. It points into the report, which must outlive it.
[[nodiscard]] document::Document document_of(const PlanReport& report);
[[nodiscard]] document::Document document_of(const LintReport& report);
[[nodiscard]] document::Document document_of(const QuantizeReport& report);
[[nodiscard]] document::Document document_of(const RepairReport& report);
[[nodiscard]] document::Document document_of(const QuantizeWeightsReport& report);
[[nodiscard]] document::Document document_of(const CastReport& report);
[[nodiscard]] document::Document document_of(const CompareCalibratorsReport& report);
[[nodiscard]] document::Document document_of(const CompareTargetsReport& report);
[[nodiscard]] document::Document document_of(const CompareTypesReport& report);
/// top  layers and values in capped texts
[[nodiscard]] document::Document document_of(const SensitivityReport& report, size_t top = 20);

}  // namespace detent::build
