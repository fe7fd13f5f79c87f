#pragma once

#include <vector>

#include "detent/data_source.h"
#include "detent/run_settings.h"
#include "model/graph/graph.h"

namespace detent {

/// The model's inputs as open_data wants them. Errors  Unsupported for an input that is no tensor.
[[nodiscard]] std::vector<InputSpec> input_specs(const Graph& graph);

/// Batch size that the model fixes for all its inputs; 1 when it is open, 1, or not the same for all.
[[nodiscard]] int64_t fixed_batch(const Graph& graph);

/// The samples' inputs joined on axis 0: one tensor per model input. A single sample is passed through.
/// Errors  InvalidData for scalars or samples of different shapes.
[[nodiscard]] std::vector<Tensor> stack_samples(std::vector<Sample> samples);

/// Inputs of the first batch of the source, for verification and shapes; unreadable samples are passed over when the
/// settings say so. Errors  InvalidData when no sample could be read.
[[nodiscard]] std::vector<Tensor> read_first_inputs(const DataSource& source, const Graph& graph,
                                                    const RunSettings& settings);

/// One batch of random numbers for a model whose sizes are all declared: for verification and shapes where no data is at
/// hand. Empty when a size is open or an input is no tensor.
[[nodiscard]] std::vector<Tensor> made_up_inputs(const Graph& graph);

}  // namespace detent
