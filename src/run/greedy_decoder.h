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

/// A model that writes a text for each whole sample. Several samples share each step where the model keeps them apart:
/// a step of one sample fetches as many weights as a step of four. Distinct threads may call decode() at the same time.
class GreedyDecoder {
 public:
  /// plan    of a request that decodes() (open_samples.h)
  /// shared  with the decoders of other models for the same clips (StepModel::share); nullptr: none
  /// Errors  those of Schedule.
  GreedyDecoder(const Model& model, StepPlan plan, CpuProducts products, HeldOutputs* shared = nullptr);

  /// Returns how many consecutive samples decode() takes at once: 4 where `threads` have several such groups, and where
  /// the first two steps of the last of four give it the outputs that it has alone, within a thousandth; 1 otherwise.
  /// Errors Interrupted; samples that cannot be read or run give 1.
  [[nodiscard]] size_t together(const DataSource& samples, size_t threads) const;
  /// Returns by sample the tokens that follow the first ones, up to the one that ends the text, or to the longest text.
  /// Each is the one with the highest score in the last position; of equal ones the first.
  /// whole   samples with the inputs that the data feeds (Recurrence::data_inputs): one, or as together() says.
  ///         Samples of different shapes are decoded one after the other.
  /// Errors  those of StepWalk.
  [[nodiscard]] std::vector<std::vector<int64_t>> decode(std::vector<Sample> whole) const;

 private:
  [[nodiscard]] bool keeps_apart(const std::vector<Sample>& whole) const;

  StepPlan plan_;
  StepModel model_;
};

}  // namespace detent
