#pragma once

#include <optional>
#include <string>

#include "detent/compare.h"
#include "detent/sensitivity.h"

namespace detent::html {

/// The parts of the page, each a <section> with its heading, or "" when there is nothing to show.

/// The models and samples that were compared, the winner, and by how much it won. Always there.
[[nodiscard]] std::string summary_section(const ComparisonReport& report);
/// The cost of all layers together, and the layer that costs most. Always there.
[[nodiscard]] std::string summary_section(const SensitivityReport& report);
/// One row a variant with every metric; the outputs one by one where there are several.
[[nodiscard]] std::string candidates_section(const ComparisonReport& report);
/// How much of the model runs in INT8.
[[nodiscard]] std::string coverage_section(const CoverageReport& coverage);
/// Families that were tried, and the imbalance of the channels of every value that was equalized, before and after.
[[nodiscard]] std::string equalization_section(const std::optional<EqualizeReport>& report);
/// SQNR at the output when one layer is quantized, and when all others are.
[[nodiscard]] std::string sensitivity_section(const SensitivityReport& report);
/// Every value's histogram with its ranges, chosen from a list. `sensitivity` adds the values' own errors, may be null.
[[nodiscard]] std::string values_section(const ComparisonReport& report, const SensitivityReport* sensitivity);
/// Layers and edges with the decision and its reason.
[[nodiscard]] std::string placement_section(const PlanReport& plan);

}  // namespace detent::html
