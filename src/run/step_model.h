#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "exec/executor.h"
#include "exec/schedule.h"
#include "model/model.h"
#include "run/held_outputs.h"
#include "run/recurrence.h"

namespace detent {

/// The states that one model writes from step to step. Distinct threads may call its members at the same time.
class StepModel {
 public:
  /// model  is kept; its inputs are those that `recurrence` was made for.
  /// Errors  those of Schedule.
  StepModel(Model model, const Recurrence& recurrence, CpuProducts products = CpuProducts::Exact);

  /// Takes what hold() returns from models that compute the same, and leaves it to them. Call it before hold();
  /// `outputs`, which must outlive the object, are those of one source and one CpuProducts.
  void share(HeldOutputs& outputs);
  /// Computes what is the same in all steps of samples, such as a whole encoder, from the inputs of one of them.
  /// samples  Sample::index of each that the inputs hold
  /// Errors  those of Executor::run.
  [[nodiscard]] std::vector<Tensor> hold(std::span<const Tensor> inputs, std::span<const size_t> samples) const;
  /// Runs one step; returns the outputs of Recurrence::states, in their order.
  /// held  what hold() computed for the samples
  /// Errors  those of Executor::run.
  [[nodiscard]] std::vector<Tensor> advance(std::span<const Tensor> inputs, std::span<const Tensor> held) const;
  [[nodiscard]] const Graph& graph() const { return model_.graph(); }

 private:
  Model model_;
  std::vector<ValueId> outputs_;
  KernelCache kernels_;
  Schedule held_;    // the values that are the same in all steps and that others read
  Schedule moving_;  // the rest
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Executor>> idle_;
  HeldOutputs* shared_ = nullptr;
  Digest part_ = {};  // of moving_.given()
};

}  // namespace detent
