#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "exec/executor.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "run/recurrence.h"

namespace detent {

/// The states that one model writes from step to step. Distinct threads may call its members at the same time.
class StepModel {
 public:
  /// model  is kept; its inputs are those that `recurrence` was made for.
  /// Errors  those of Schedule.
  StepModel(Model model, const Recurrence& recurrence, CpuProducts products = CpuProducts::Exact);

  /// Computes what is the same in all steps of a sample, such as a whole encoder, from the inputs of one of them.
  /// Errors  those of Executor::run.
  [[nodiscard]] std::vector<Tensor> hold(std::span<const Tensor> inputs) const;
  /// Runs one step; returns the outputs of Recurrence::states, in their order.
  /// held  what hold() computed for the sample
  /// Errors  those of Executor::run.
  [[nodiscard]] std::vector<Tensor> advance(std::span<const Tensor> inputs, std::span<const Tensor> held) const;
  [[nodiscard]] size_t inputs() const { return model_.graph().inputs().size(); }

 private:
  Model model_;
  std::vector<ValueId> outputs_;
  KernelCache kernels_;
  Schedule held_;    // the values that are the same in all steps and that others read
  Schedule moving_;  // the rest
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Executor>> idle_;
};

/// Samples of one step each. Sample s of another source is cut into N steps along the axes of the recurrence; step k is
/// sample s * N + k here, named "ids.npy[3] step 5". Its states are what a model wrote in the steps before.
///
/// Memory  the states of the steps that are read at the same time, of one or two samples; reading steps in order runs
///         the model once for each, reading one alone runs it for all steps before.
class StepSource final : public DataSource {
 public:
  /// whole   gives the inputs Recurrence::data_inputs, in this order, one sample each.
  /// inputs  of the model, with their batch axes.
  /// teacher  steps of the same samples whose tokens are taken in place of those that `model` chooses: a quantized
  ///          model that chose another token would be compared on another text from then on. nullptr: its own. Must
  ///          outlive this object.
  StepSource(std::unique_ptr<DataSource> whole, std::unique_ptr<const StepModel> model, Recurrence recurrence,
             std::span<const InputSpec> inputs, const DataSource* teacher = nullptr);

  [[nodiscard]] size_t size() const override { return whole_->size() * recurrence_.steps; }
  [[nodiscard]] std::string sample_name(size_t i) const override;
  /// Errors  those of reading and of running the model; InvalidData for a sample that is shorter than its steps, and
  ///         for a state that does not fit its input.
  [[nodiscard]] Sample read(size_t i) const override;

 private:
  /// A sample on its way through the steps.
  struct Walk {
    size_t sample = 0;
    std::mutex mutex;
    bool begun = false;
    Sample whole;
    std::vector<Tensor> held = {};               ///< StepModel::hold
    size_t first = 0;                            ///< the step of states.front()
    std::list<std::vector<Tensor>> states = {};  ///< of the last steps: other threads may still want them
  };

  [[nodiscard]] std::shared_ptr<Walk> walk_of(size_t sample) const;
  void begin(Walk& walk) const;
  void take_step(Walk& walk) const;
  /// Makes the states that are tokens of what the model wrote.
  void choose_tokens(const Walk& walk, size_t step, std::vector<Tensor>& states) const;
  [[nodiscard]] std::vector<Tensor> inputs_of(const Walk& walk, size_t step, const std::vector<Tensor>& states) const;
  [[nodiscard]] std::vector<std::optional<int64_t>> next_of(const Sample& whole, size_t step) const;
  void check_length(const Sample& whole) const;
  void check_states(const std::vector<Tensor>& states, size_t step) const;

  std::unique_ptr<DataSource> whole_;
  std::unique_ptr<const StepModel> model_;
  Recurrence recurrence_;
  std::vector<InputSpec> specs_;
  const DataSource* teacher_;
  std::vector<size_t> place_;  // by input: among the tensors of `whole`; kFed for those of the model
  std::vector<int> batch_axes_;
  size_t kept_states_;
  mutable std::mutex mutex_;
  mutable std::list<std::shared_ptr<Walk>> walks_;  // the last few, newest first
};

}  // namespace detent
