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

namespace detent {

/// Returns the JSON document of a report, two-space indented, with a final newline: src/report/json/README.md. Its
/// members are those of fields() in src/report/json/fields. Numbers that are not finite become null, bytes that are not
/// UTF-8 U+FFFD.
[[nodiscard]] std::string to_json(const ModelReport& report);
[[nodiscard]] std::string to_json(const TableReport& report);
[[nodiscard]] std::string to_json(const DistributionReport& report);
[[nodiscard]] std::string to_json(const PlanReport& report);
[[nodiscard]] std::string to_json(const LintReport& report);
[[nodiscard]] std::string to_json(const QuantizeReport& report);
[[nodiscard]] std::string to_json(const QuantizeWeightsReport& report);
[[nodiscard]] std::string to_json(const CastReport& report);
[[nodiscard]] std::string to_json(const VerifyReport& report);
[[nodiscard]] std::string to_json(const ComparisonReport& report);
[[nodiscard]] std::string to_json(const SensitivityReport& report);
[[nodiscard]] std::string to_json(const RunReport& report);
[[nodiscard]] std::string to_json(const CacheExportReport& report);
[[nodiscard]] std::string to_json(const CacheImportReport& report);

}  // namespace detent
