#pragma once

#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/progress.h"
#include "detent/options/run_settings.h"
#include "model/graph/graph.h"

namespace detent {

/// Returns the model's inputs as open_data takes them, with their batch axes; `named` as in DataOptions::batch_axes.
/// Errors  Unsupported for an input that is no tensor; those of find_batch_axes.
[[nodiscard]] std::vector<InputSpec> input_specs(const Graph& graph, std::span<const std::string> named = {});

/// Opens the data for the inputs of a model. A batch that the model fixes and the user did not name may also be one
/// sample: it is where matrices [tokens, features] fit whole, and where larger inputs do not fit as a batch. Samples of
/// a model with a mask of padding carry their content (padding.h). Errors  those of open_data, input_specs and
/// find_padding_mask.
[[nodiscard]] std::unique_ptr<DataSource> open_samples(const DataOptions& options, const Graph& graph);

/// Warns when `data` has a preprocessing, but neither it nor `eval`, which shares it, holds images.
void warn_of_unused_preprocess(const DataOptions& data, const DataOptions& eval, const Graph& graph,
                               Reporter& reporter);

/// Joins the samples' inputs on their batch axes: one tensor per model input. Passes a single sample through.
/// Errors  InvalidData for samples of different shapes, or that differ in an input without a batch axis.
[[nodiscard]] std::vector<Tensor> stack_samples(std::vector<Sample> samples);

/// Reads the inputs of the first batch of the source, for verification and shapes; skips unreadable samples when the
/// settings say so.
/// Errors  InvalidData when no sample could be read.
[[nodiscard]] std::vector<Tensor> read_first_inputs(const DataSource& source, const RunSettings& settings);

/// Makes a batch of random numbers for a model whose sizes are all declared: for verification and shapes without data.
/// Empty when a size is open or an input is no tensor.
[[nodiscard]] std::vector<Tensor> made_up_inputs(const Graph& graph);

}  // namespace detent
