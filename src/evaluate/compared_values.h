#pragma once

#include <span>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// Returns the values by which variants of a model are compared: its float outputs that can run, or where it has none
/// (a network that ends in ArgMax) the last float values before them. Runs the model on `inputs` to find them.
/// Empty   no output depends on a computed float value.
[[nodiscard]] std::vector<std::string> values_to_compare(const Model& model, std::span<const Tensor> inputs);

/// Returns values_to_compare().
/// Errors  InvalidOption when there are none.
[[nodiscard]] std::vector<std::string> comparable_values(const Model& model, std::span<const Tensor> inputs);

/// Returns the values to run where outputs are judged too: the ends of the model, of any type, then the other values of
/// values_to_compare().
/// Errors  InvalidOption when no output can run; those of reading and running the first sample.
[[nodiscard]] std::vector<std::string> values_to_judge(const Model& model, const DataSource& samples,
                                                       const RunSettings& settings);

}  // namespace detent
