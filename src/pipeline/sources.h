#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "detent/detent.h"
#include "model/model.h"
#include "observe/calibration_table.h"

namespace detent {

/// The table of --table; nothing without it. `model` as it was read.
/// Errors  Usage when there is neither a table nor data; those of read_table_of.
[[nodiscard]] std::optional<CalibrationTable> open_table(const QuantizeOptions& options, const Model& model);

/// The data of --data; nullptr without it. Errors  those of open_data.
[[nodiscard]] std::unique_ptr<DataSource> open_source(const QuantizeOptions& options, const Graph& graph);

/// One batch of random numbers for a model whose sizes are all declared: for verification and shapes where no data is at
/// hand. Empty when a size is open or an input is no tensor.
[[nodiscard]] std::vector<Tensor> made_up_inputs(const Graph& graph);

}  // namespace detent
