#pragma once

#include <memory>
#include <string>

#include "datasets/sample_request.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// Returns the settings with the outputs that are judged of a model with states: those that the user names, else those
/// that do not only go back into the model as they are, if there are such. An error in a state counts by what it does
/// to the other outputs of later steps.
/// request  with SampleRequest::steps; without, the settings come back.
/// Errors   those of find_recurrence.
[[nodiscard]] RunSettings without_states(RunSettings settings, const SampleRequest& request, const Model& model);

/// Opens the steps of a model with its own states; tokens that a state feeds back are those of `steps`, which must
/// outlive the result.
/// request  that `steps` was opened by, with SampleRequest::steps.
/// Errors   those of open_samples.
[[nodiscard]] std::unique_ptr<DataSource> own_steps(const Model& model, const SampleRequest& request,
                                                    const DataSource& steps, const RunSettings& run);

/// Returns "ids.npy[3]" of "ids.npy[3] step 5".
[[nodiscard]] std::string sample_of_step(const std::string& name);

}  // namespace detent
