#pragma once

#include <memory>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// Opens the data for the inputs of a model. A batch that the model fixes and the user did not name may also be one
/// sample: it is where matrices [tokens, features] fit whole, and where larger inputs do not fit as a batch. Samples of
/// a model with a mask of padding carry their content (padding.h). Numbers that are not finite are refused
/// (with_finite_inputs). With DataOptions::steps each sample is cut into
/// steps whose states `model` writes.
/// Errors  those of open_data, input_specs, find_padding_mask and open_steps; Usage for `steps` without `state`, or
///         `state` without `steps`.
[[nodiscard]] std::unique_ptr<DataSource> open_samples(const DataOptions& options, const Model& model);

/// Returns what open_samples() does without with_finite_inputs(), for a model that is only run.
/// Errors  those of open_samples.
[[nodiscard]] std::unique_ptr<DataSource> open_samples_as_they_are(const DataOptions& options, const Model& model);

/// Opens the data as steps (step_source.h) whose states `model` writes: a float model, or a quantized one for the
/// errors that it makes when it is fed by itself, except for the tokens of `teacher` (step_source.h). A mask of padding
/// is an input like others. Errors  those of read_state_file, find_recurrence, open_data and Schedule.
[[nodiscard]] std::unique_ptr<DataSource> open_steps(const DataOptions& options, Model model,
                                                     CpuProducts products = CpuProducts::Exact,
                                                     const DataSource* teacher = nullptr);

/// Reads the inputs of the first batch as read_first_inputs() does, for verification and shapes. Of samples that are
/// cut into steps the last step of the first sample, where caches are longest: at the first step they may be empty.
[[nodiscard]] std::vector<Tensor> read_shown_inputs(const DataSource& source, const DataOptions& options,
                                                    const RunSettings& settings);

}  // namespace detent
