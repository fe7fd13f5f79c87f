#pragma once

#include <cstdint>
#include <vector>

#include "datasets/sample_request.h"
#include "detent/options/run_settings.h"
#include "model/model.h"
#include "run/held_outputs.h"
#include "run/step_model.h"
#include "run/step_walk.h"

namespace detent {

/// Returns true where the samples of a request are read as texts that a model writes, token after token.
[[nodiscard]] bool decodes(const SampleRequest& request);

/// A model that writes a text for each whole sample. Distinct threads may call decode() at the same time.
class GreedyDecoder {
 public:
  /// plan    of a request that decodes() (open_samples.h)
  /// shared  with the decoders of other models for the same clips (StepModel::share); nullptr: none
  /// Errors  those of Schedule.
  GreedyDecoder(const Model& model, StepPlan plan, CpuProducts products, HeldOutputs* shared = nullptr);

  /// Returns the tokens that follow the first ones, up to the one that ends the text, or to the longest text. Each is
  /// the one with the highest score in the last position; of equal ones the first.
  /// whole   sample with the inputs that the data feeds (Recurrence::data_inputs)
  /// Errors  those of StepWalk.
  [[nodiscard]] std::vector<int64_t> decode(Sample whole) const;

 private:
  StepPlan plan_;
  StepModel model_;
};

}  // namespace detent
