#pragma once

#include <optional>

#include "detent/quantize.h"
#include "pipeline/parts/chosen.h"
#include "rewrite/rewrite.h"

namespace detent {

/// Describes what was prepared, measured and chosen, and the origin of the file; the winner of a measurement becomes
/// the report's calibrator. `given` are the options before with_level().
[[nodiscard]] QuantizeReport start_report(const QuantizeOptions& given, const Prepared& prepared,
                                          const Measured& measured, const Chosen& chosen,
                                          std::optional<BoundReport> bound);
/// Describes the values that get a pair: scales, and charts of their distributions.
void add_values(QuantizeReport& report, const Graph& graph, const Rewrite& rewrite, const Measured& measured,
                const Chosen& chosen);
/// Fills what the written model says: casts, and why it may not be faster.
void add_written(QuantizeReport& report, const Graph& written, const Prepared& prepared);

}  // namespace detent
