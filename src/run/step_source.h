#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "run/step_model.h"
#include "run/step_walk.h"

namespace detent {

/// Samples of one step each. Sample s of another source is cut into N steps along the axes of the recurrence; step k is
/// sample s * N + k here, named "ids.npy[3] step 5". Its states are what a model wrote in the steps before.
///
/// Memory  the states of the steps that are read at the same time, of one or two samples; and samples with the states
///         of all steps, where one takes at most 16 MiB, up to 256 MiB. Reading steps in order runs the model once for
///         each, reading one alone runs it for all steps before; reading kept ones again runs nothing.
class StepSource final : public DataSource {
 public:
  /// whole   gives the inputs Recurrence::data_inputs, in this order, one sample each.
  /// inputs  of the model, with their batch axes.
  /// teacher  steps of the same samples whose tokens are taken in place of those that `model` chooses: a quantized
  ///          model that chose another token would be compared on another text from then on. nullptr: its own. Must
  ///          outlive this object.
  StepSource(std::unique_ptr<DataSource> whole, std::unique_ptr<const StepModel> model, Recurrence recurrence,
             std::span<const InputSpec> inputs, const DataSource* teacher = nullptr);

  [[nodiscard]] size_t size() const override { return whole_->size() * plan_.recurrence.steps; }
  [[nodiscard]] std::string sample_name(size_t i) const override;
  /// Errors  those of reading and of running the model; InvalidData for a sample that is shorter than its steps, and
  ///         for a state that does not fit its input.
  [[nodiscard]] Sample read(size_t i) const override;

 private:
  struct Walk {
    size_t sample = 0;
    std::mutex mutex;
    std::optional<StepWalk> way = {};
    size_t bytes = 0;  // that are kept
  };

  [[nodiscard]] std::shared_ptr<Walk> walk_of(size_t sample) const;
  /// Notes the bytes of a walk, and forgets walks that were read longest ago where all together are too many.
  void note_bytes(Walk& walk, size_t bytes) const;

  std::unique_ptr<DataSource> whole_;
  std::unique_ptr<const StepModel> model_;
  StepPlan plan_;
  const DataSource* teacher_;
  std::vector<int> batch_axes_;
  size_t kept_states_;
  mutable std::mutex mutex_;
  mutable std::list<std::shared_ptr<Walk>> walks_;  // the last ones first
  mutable size_t bytes_ = 0;                        // of walks_
};

}  // namespace detent
