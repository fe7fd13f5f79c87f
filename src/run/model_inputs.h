#pragma once

#include <vector>

#include "datasets/sample_request.h"
#include "detent/base/progress.h"
#include "detent/options/run_settings.h"
#include "model/graph/graph.h"

namespace detent {

/// Returns the model's inputs as open_data takes them, with their batch axes.
/// Errors  Unsupported for an input that is no tensor; those of find_batch_axes.
[[nodiscard]] std::vector<InputSpec> input_specs(const Graph& graph, std::span<const NamedAxis> named = {});

/// Warns when `data` has a preprocessing, but neither it nor `eval`, which shares it, holds images or audio.
void warn_of_unused_preprocess(const SampleRequest& data, const SampleRequest& eval, const Graph& graph,
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
