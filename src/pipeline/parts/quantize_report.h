#pragma once

#include <optional>

#include "detent/quantize.h"
#include "pipeline/parts/chosen.h"
#include "rewrite/rewrite.h"

namespace detent {

/// Starts the report: preparation, measurements, choices and the origin of the file. `given` are the options before
/// with_level().
[[nodiscard]] QuantizeReport start_report(const QuantizeOptions& given, const Prepared& prepared,
                                          const Measured& measured, const Chosen& chosen,
                                          std::optional<BoundReport> bound);
/// Adds the values that get a pair: scales, and charts of their distributions.
void add_values(QuantizeReport& report, const Graph& graph, const Rewrite& rewrite, const Measured& measured,
                const Chosen& chosen);
/// Adds facts of the written model: casts, and why it may not be faster.
void add_written(QuantizeReport& report, const Graph& written, const Prepared& prepared);

}  // namespace detent
