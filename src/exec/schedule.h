#pragma once

#include <span>
#include <vector>

#include "exec/step.h"

namespace detent {

/// The steps that compute `wanted` (and nothing else), in order; values that depend on constants only are computed
/// once, here. Immutable once made and shared by all workers.
class Schedule {
 public:
  /// wanted  values to observe or return; the graph's outputs are included only when listed.
  /// Errors  Unsupported listing every needed node that cannot run.
  Schedule(const Graph& graph, std::span<const ValueId> wanted, const ScheduleOptions& options = {});

  [[nodiscard]] const Graph& graph() const { return *parts_.graph; }
  [[nodiscard]] std::span<const Step> steps() const { return parts_.steps; }
  [[nodiscard]] bool is_wanted(ValueId value) const { return parts_.wanted[value]; }
  /// Returns an initializer, Constant node or folded constant; nullptr otherwise.
  [[nodiscard]] const Tensor* constant(MaybeValue value) const;
  /// True when the weights are so large that copies of them are not kept, and their pages leave memory after every
  /// step.
  [[nodiscard]] bool is_lean() const { return parts_.lean; }
  /// True for graph inputs that some step or wanted value needs.
  [[nodiscard]] bool needs_input(ValueId value) const { return parts_.needed[value]; }

  /// Makes this a schedule of `graph`, another rewiring of the graph that it was made of; that one is no longer needed.
  void move_to(const Graph& graph);
  /// Observes `values` too, where steps write them; unlike wanting them this changes no step.
  void watch(std::span<const ValueId> values);
  /// Leaves out the steps that `base` runs too: the same kernel on the same values. The rest runs with
  /// Executor::resume, on the values of given(). `base`, which must outlive this schedule, was made with the same
  /// options over a rewiring of the same graph. Every value has the bits that the whole schedule would give it.
  void leave_shared_steps_to(const Schedule& base);
  /// Returns the values that leave_shared_steps_to() left out and something here reads or wants: steps of its `base`
  /// write them.
  [[nodiscard]] std::span<const ValueId> given() const { return given_; }

 private:
  ScheduleParts parts_;
  const Schedule* base_ = nullptr;  // holds the constants, after leave_shared_steps_to()
  std::vector<ValueId> given_;
};

}  // namespace detent
