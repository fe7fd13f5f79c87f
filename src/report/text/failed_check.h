#pragma once

#include <optional>

#include "detent/base/error.h"
#include "detent/compare.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/repair.h"
#include "detent/verify.h"

namespace detent {

/// Flaws of a report that a user accepts.
struct Accepted {
  bool lint_errors = true;           ///< findings of level error
  bool broken = false;               ///< a verdict "broken" or "unknown"
  std::optional<double> least = {};  ///< score of the best candidate, or its largest cross entropy
};

/// Returns the first check or bound that a report does not hold, as an error CheckFailed; of several targets all.
template <class Report>
[[nodiscard]] std::optional<Error> failed_check(const Report&, const Accepted&) {
  return std::nullopt;
}
[[nodiscard]] std::optional<Error> failed_check(const LintReport& report, const Accepted& accepted);
[[nodiscard]] std::optional<Error> failed_check(const RepairReport& report, const Accepted& accepted);
[[nodiscard]] std::optional<Error> failed_check(const VerifyReport& report, const Accepted& accepted);
[[nodiscard]] std::optional<Error> failed_check(const QuantizeReport& report, const Accepted& accepted);
[[nodiscard]] std::optional<Error> failed_check(const QuantizeTargetsReport& report, const Accepted& accepted);
[[nodiscard]] std::optional<Error> failed_check(const QuantizeWeightsReport& report, const Accepted& accepted);
[[nodiscard]] std::optional<Error> failed_check(const CompareCalibratorsReport& report, const Accepted& accepted);
[[nodiscard]] std::optional<Error> failed_check(const CompareTargetsReport& report, const Accepted& accepted);
[[nodiscard]] std::optional<Error> failed_check(const CompareTypesReport& report, const Accepted& accepted);

}  // namespace detent
