#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "datasets/sample_request.h"
#include "detent/options/run_settings.h"
#include "evaluate/closing_error.h"
#include "model/model.h"
#include "run/sample_subset.h"

namespace detent {

/// The closing error of a model with states over all steps of some samples: the float model and the quantized one are
/// each fed by their own states, so that errors add up as they do in use; tokens that a state feeds back are the float
/// model's. Outputs that only go back into the model are not judged where it has others: they count by what they do to
/// those.
class ClosingSteps {
 public:
  /// data     that `steps` was opened by, with SampleRequest::steps.
  /// steps    the steps of all samples, with the float model's states (open_samples); must outlive this object.
  /// samples  positions of the samples, not of steps.
  ClosingSteps(SampleRequest data, const DataSource& steps, const std::vector<size_t>& samples);

  [[nodiscard]] size_t count() const { return *data_.steps; }
  /// Returns the positions of all steps of the samples.
  [[nodiscard]] const std::vector<size_t>& positions() const { return positions_; }

  /// Runs the float model and keeps its outputs.
  /// source  has these positions of the steps.
  /// Errors  those of keep_outputs.
  [[nodiscard]] ReferenceOutputs keep_reference(const Model& float32, const DataSource& source,
                                                const RunSettings& run) const;
  /// Returns the error over all steps, with ErrorReport::steps.
  /// Errors  those of open_samples and measure_closing_error.
  [[nodiscard]] ClosingError error_of(const ReferenceOutputs& reference, const Model& model,
                                      const RunSettings& run) const;

 private:
  SampleRequest data_;
  const DataSource& steps_;
  std::vector<size_t> positions_;
};

/// The float model's outputs on samples of a request, to compare other models with. The comparison is that of
/// ClosingSteps where the request cuts samples into steps. The arguments must outlive it.
class FloatOutputs {
 public:
  /// source  of the request.
  /// most    so many samples, with the smallest name hashes; absent: all of them
  /// Errors  those of keep_outputs.
  FloatOutputs(const Model& float32, const SampleRequest& request, const DataSource& source, const RunSettings& run,
               std::optional<size_t> most = {});

  /// Errors  those of measure_closing_error and ClosingSteps::error_of.
  [[nodiscard]] ClosingError error_of(const Model& model) const;

 private:
  std::optional<ClosingSteps> steps_ = {};
  SampleSubset samples_;
  const RunSettings& run_;
  ReferenceOutputs reference_;
};

/// Returns the `count` samples whose names have the smallest hash, of those with positions from `first` on that have
/// none of `unwanted` among their steps.
/// source  steps of samples, `steps` to each
[[nodiscard]] std::vector<size_t> stepped_samples_by_hash(const DataSource& source, size_t steps, size_t count,
                                                          size_t first = 0, const std::set<std::string>& unwanted = {});

}  // namespace detent
