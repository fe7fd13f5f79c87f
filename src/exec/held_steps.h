#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "exec/schedule.h"

namespace detent {

/// Steps whose values are kept from the last run instead of computed again.
///
/// Of a pipeline, the steps in front of the last file's inputs, while they read the same tensors: a decoder takes its
/// steps. Of a transducer, the steps in front of the value that is read frame by frame. Of one model, the steps whose
/// values follow from the shapes of its inputs alone, while these stay the same: the nodes behind a Shape, of which
/// exporters write dozens.
class HeldSteps {
 public:
  explicit HeldSteps(const Schedule& schedule);

  [[nodiscard]] bool empty() const { return held_.empty(); }
  [[nodiscard]] bool contains(size_t step) const { return !held_.empty() && held_[step]; }

  /// Begins a run; returns true where the steps would make what they made in the last one. `values` then gets what
  /// others read or observe of it.
  [[nodiscard]] bool begin(std::span<const Tensor> inputs, ValueMap<Tensor>& values);
  /// Keeps those outputs of a step that has run which are observed, or read behind.
  void keep(const Step& step, const ValueMap<Tensor>& values);
  /// Ends a run in which all steps ran.
  void end(std::span<const Tensor> inputs);

 private:
  void find_in_front(const Schedule& schedule);
  void find_of_shapes(const Schedule& schedule);

  std::vector<bool> held_;      // by step; empty: none
  bool of_shapes_ = false;      // only the shapes of the inputs count
  std::vector<size_t> inputs_;  // positions of the inputs that they read
  ValueMap<bool> is_read_;      // behind them, or observed
  std::vector<Tensor> read_;    // by inputs_: what the kept values were made of; empty: nothing is kept
  std::vector<std::pair<ValueId, Tensor>> kept_;
  size_t bytes_ = 0;
};

}  // namespace detent
