#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "datasets/sample_request.h"
#include "detent/options/run_settings.h"
#include "model/model.h"
#include "run/step_walk.h"

namespace detent {

/// How samples are opened; a SampleRequest says which ones.
struct OpenSettings {
  bool refuse_non_finite = true;              ///< false: for a model that is only run
  CpuProducts products = CpuProducts::Exact;  ///< of the model that writes the states of steps
  const DataSource* teacher = nullptr;        ///< of steps (step_source.h)
};

/// Opens the samples of a request for the inputs of a model: its sources, and around them the wrappers that apply. A
/// batch that the model fixes and the user did not name may also be one sample: it is where matrices [tokens, features]
/// fit whole, and where larger inputs do not fit as a batch. Of samples that are cut into steps `model` writes the
/// states: a float model, or a quantized one for the errors that it makes when it is fed by itself, except for the
/// tokens of OpenSettings::teacher. A mask of padding is then an input like others.
/// Errors  those of open_data, input_specs and find_padding_mask, and with steps of find_recurrence and Schedule. If no
///         reading fits, that of the one that fits up to a later axis.
[[nodiscard]] std::unique_ptr<DataSource> open_samples(const SampleRequest& request, const Model& model,
                                                       const OpenSettings& settings = {});

/// Opens the samples of a request that is cut into steps as whole ones: the inputs that the data feeds, not those that
/// the model writes.
/// Errors  those of open_samples.
[[nodiscard]] std::unique_ptr<DataSource> open_whole_samples(const SampleRequest& request, const Model& model);

/// Returns the steps of a request that is cut into such, for a model.
/// Errors  those of find_recurrence.
[[nodiscard]] StepPlan step_plan(const SampleRequest& request, const Model& model);

/// Reads the inputs of the first batch as read_first_inputs() does, for verification and shapes. Of samples that are
/// cut into `steps` the last step of the first sample, where caches are longest: at the first step they may be empty.
[[nodiscard]] std::vector<Tensor> read_shown_inputs(const DataSource& source, std::optional<size_t> steps,
                                                    const RunSettings& settings);

}  // namespace detent
