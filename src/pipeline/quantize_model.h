#pragma once

#include "core/stopwatch.h"
#include "detent/quantize.h"
#include "pipeline/parts/prepared.h"

namespace detent {

/// Checks the options before anything is read, and returns their recipe.
/// Errors  those of quantize_model() that need no model.
[[nodiscard]] Recipe checked_recipe(const QuantizeOptions& given, std::optional<PipelineFile> pipeline = {});

/// Measures, quantizes and writes what make() made of checked_recipe(given).
/// stopwatch  gives QuantizeReport::seconds.
/// before     of the same model and data for another target, whose look at the input holds here, too; nullptr: none
[[nodiscard]] QuantizeReport quantize_prepared(const QuantizeOptions& given, Prepared prepared,
                                               const Stopwatch& stopwatch, const QuantizeReport* before = nullptr);

}  // namespace detent
