#pragma once

#include <span>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// The values by which variants of a model are judged: its float outputs that can run. Where there is none (a network
/// that ends in ArgMax), the last float values before them. Found by running the model on `inputs`.
/// Empty   no output depends on a float value that is computed.
[[nodiscard]] std::vector<std::string> values_to_compare(const Model& model, std::span<const Tensor> inputs);

/// The values that are run where outputs are judged too: the ends of the model, of whatever type, then the other values
/// whose errors are measured.
/// Errors  InvalidOption when no output can run; those of reading and running the first
/// sample.
[[nodiscard]] std::vector<std::string> values_to_judge(const Model& model, const DataSource& samples,
                                                       const RunSettings& settings);

}  // namespace detent
