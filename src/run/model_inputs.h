#pragma once

#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/progress.h"
#include "detent/options/run_settings.h"
#include "model/graph/graph.h"

namespace detent {

/// The model's inputs as open_data wants them, with their batch axes; `named` as in DataOptions::batch_axes.
/// Errors  Unsupported for an input that is no tensor; those of find_batch_axes.
[[nodiscard]] std::vector<InputSpec> input_specs(const Graph& graph, std::span<const std::string> named = {});

/// open_data for the inputs of a model. A batch that the model fixes and the user did not name may as well be one
/// sample: matrices [tokens, features] that fit whole are, larger inputs where the batch does not fit. Samples of a
/// model with a mask of padding tell their content (padding.h).
/// Errors  those of open_data, input_specs and
/// find_padding_mask.
[[nodiscard]] std::unique_ptr<DataSource> open_samples(const DataOptions& options, const Graph& graph);

/// Warns when `data` has a preprocessing, but neither it nor `eval`, which shares it, holds images: arrays are fed as
/// they are.
void warn_of_unused_preprocess(const DataOptions& data, const DataOptions& eval, const Graph& graph,
                               Reporter& reporter);

/// The samples' inputs joined on their batch axes: one tensor per model input. A single sample is passed through.
/// Errors  InvalidData for samples of different shapes, or that differ in an input without a batch axis.
[[nodiscard]] std::vector<Tensor> stack_samples(std::vector<Sample> samples);

/// Inputs of the first batch of the source, for verification and shapes; unreadable samples are passed over when the
/// settings say so.
/// Errors  InvalidData when no sample could be read.
[[nodiscard]] std::vector<Tensor> read_first_inputs(const DataSource& source, const RunSettings& settings);

/// One batch of random numbers for a model whose sizes are all declared: for verification and shapes where no data is
/// at hand. Empty when a size is open or an input is no tensor.
[[nodiscard]] std::vector<Tensor> made_up_inputs(const Graph& graph);

}  // namespace detent
