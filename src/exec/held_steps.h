#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "exec/schedule.h"

namespace detent {

/// The steps of a pipeline in front of the last file's inputs, and what they made of the inputs of the last run. While
/// a decoder takes its steps, the files in front of it read the same inputs: their values are kept instead of computed
/// again. Knows no steps of a model that is one file.
class HeldSteps {
 public:
  explicit HeldSteps(const Schedule& schedule);

  [[nodiscard]] bool empty() const { return in_front_.empty(); }
  [[nodiscard]] bool contains(size_t step) const { return !in_front_.empty() && in_front_[step]; }

  /// Begins a run; returns true where the steps read the very tensors of the last one. `values` then gets what they
  /// made and others read or observe.
  [[nodiscard]] bool begin(std::span<const Tensor> inputs, ValueMap<Tensor>& values);
  /// Keeps those outputs of a step that has run which are observed, or read behind.
  void keep(const Step& step, const ValueMap<Tensor>& values);
  /// Ends a run in which all steps ran.
  void end(std::span<const Tensor> inputs);

 private:
  std::vector<bool> in_front_;  // by step; empty: none
  std::vector<size_t> inputs_;  // positions of the inputs that they read
  ValueMap<bool> is_read_;      // behind them, or observed
  std::vector<Tensor> read_;    // by inputs_: what the kept values were made of; empty: nothing is kept
  std::vector<std::pair<ValueId, Tensor>> kept_;
  size_t bytes_ = 0;
};

}  // namespace detent
