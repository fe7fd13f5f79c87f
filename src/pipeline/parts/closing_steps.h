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

namespace detent {

/// The closing error of a model with states after 1, N / 2 and N steps: the float model and the quantized one are each
/// fed by their own states, so that errors add up as they do in use; tokens that a state feeds back are the float
/// model's.
class ClosingSteps {
 public:
  /// data     that `steps` was opened by, with SampleRequest::steps.
  /// steps    the steps of all samples, with the float model's states (open_samples); must outlive this object.
  /// samples  positions of the samples, not of steps.
  ClosingSteps(SampleRequest data, const DataSource& steps, std::vector<size_t> samples);

  /// Returns the positions of the last steps.
  [[nodiscard]] std::vector<size_t> last() const { return at(count_); }

  /// Runs the float model and keeps its outputs.
  /// Errors  those of keep_outputs.
  void keep_reference(const Model& float32, const RunSettings& run);
  /// Returns the error at the last step, with ErrorReport::steps.
  /// Errors  those of open_samples and measure_closing_error.
  [[nodiscard]] ClosingError error_of(const Model& model, const RunSettings& run) const;

 private:
  [[nodiscard]] std::vector<size_t> at(size_t step) const;

  SampleRequest data_;
  const DataSource& steps_;
  std::vector<size_t> samples_;
  size_t count_;
  std::vector<size_t> measured_;  // steps from 1 on, ascending; the last is count_
  std::vector<ReferenceOutputs> references_ = {};
};

/// Returns the `count` samples whose names have the smallest hash, of those with positions from `first` on that have
/// none of `unwanted` among their steps.
/// source  steps of samples, `steps` to each
[[nodiscard]] std::vector<size_t> stepped_samples_by_hash(const DataSource& source, size_t steps, size_t count,
                                                          size_t first = 0, const std::set<std::string>& unwanted = {});

}  // namespace detent
