#pragma once

#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "exec/buffer_pool.h"
#include "exec/held_steps.h"
#include "exec/schedule.h"
#include "exec/step_times.h"

namespace detent {

/// A receiver of every wanted value right after it was computed, while it is in cache.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Receives a value. `tensor` may be in any Layout, or a sequence; it is only valid during the call unless copied
  /// (copies share memory).
  virtual void observe(ValueId value, const Tensor& tensor) = 0;
};

/// A runner of a schedule on one sample at a time, with single-threaded kernels and its own buffers: one executor per
/// worker thread.
class Executor {
 public:
  explicit Executor(const Schedule& schedule);
  /// pool  buffers that executors of other schedules use too, from the same thread; must outlive this object.
  Executor(const Schedule& schedule, BufferPool& pool);

  /// Runs the schedule and calls observer.observe once for each wanted value that is not an absent optional, in
  /// execution order (constants and inputs included). inputs  by position of graph.inputs(); any DataType the model
  /// declares, an empty handle for an absent optional. Errors  InvalidModel / InvalidData / Unsupported with node name,
  /// operator and opset in front; Interrupted.
  void run(std::span<const Tensor> inputs, Observer& observer);

  /// Runs a schedule after leave_shared_steps_to() as run() does; observes wanted values of `given` first.
  /// given   the values of schedule.given() from the run of the other schedule.
  /// Errors  those of run().
  void resume(std::span<const Tensor> inputs, std::span<const Tensor> given, Observer& observer);

  [[nodiscard]] const Graph& graph() const { return schedule_.graph(); }

  /// Adds the time of every step of later runs to `times`, made for this schedule; nullptr stops that. Must outlive the
  /// runs.
  void measure(StepTimes* times) { times_ = times; }

  /// Sets whether Ctrl-C may end a run between two steps (default), with only some values observed.
  void may_stop(bool yes) { may_stop_ = yes; }

 private:
  class StepSubgraphs;

  /// held  keeps what its steps make; nullptr: nothing does
  /// made  they have been run before
  void run_steps(Observer& observer, HeldSteps* held = nullptr, bool made = false);
  /// Runs a subgraph of `step` on a separate executor that shares this one's buffers.
  [[nodiscard]] std::vector<Tensor> run_subgraph(const Step& step, std::string_view attribute,
                                                 std::span<const Tensor> inputs);
  /// Runs as a subgraph's executor: `captured` are values of the graph around it, by the ids that they have inside.
  [[nodiscard]] std::vector<Tensor> run_inside(std::span<const Tensor> inputs,
                                               std::span<const std::pair<ValueId, Tensor>> captured);
  void take_inputs(std::span<const Tensor> inputs, Observer& observer);
  [[nodiscard]] Tensor fetch(MaybeValue value, const Step& step);
  /// Refuses a sequence or an absent optional that an operator of tensors reads.
  void check_operand(MaybeValue value, const Tensor& tensor, const Step& step) const;
  void take_outputs(const Step& step);
  /// Lets the pages of the constants that the step has read leave memory, in a lean schedule.
  void let_go_of_weights(const Step& step) const;
  void run_step(const Step& step, size_t index, StepTeller& teller);
  void observe_outputs(const Step& step, Observer& observer);

  /// Finds the constants that steps read: once, because a look-up takes as long as a small kernel.
  void find_constants();

  const Schedule& schedule_;
  ValueMap<const Tensor*> constants_;     // of the schedule; nullptr for other values
  std::unique_ptr<BufferPool> own_pool_;  // none in a subgraph's executor
  BufferPool& pool_;
  std::map<const Schedule*, std::unique_ptr<Executor>> subgraphs_;  // made when first run
  StepTimes* times_ = nullptr;
  bool may_stop_ = true;
  Workspace workspace_;
  ValueMap<Tensor> values_;  // empty when not computed yet or no longer needed
  HeldSteps held_;
  std::vector<Tensor> inputs_, residuals_, outputs_;  // of the running step; members so that their storage is reused
};

/// An observer that keeps the wanted values of a run, in the order asked for, as plain copies.
class OutputKeeper : public Observer {
 public:
  OutputKeeper(const Graph& graph, std::span<const ValueId> wanted);
  void observe(ValueId value, const Tensor& tensor) override;
  [[nodiscard]] std::vector<Tensor> take() { return std::move(kept_); }

 private:
  ValueMap<std::vector<size_t>> places_;
  std::vector<Tensor> kept_;
};

/// Runs one sample and returns the wanted values in the order given, in plain layout; an empty handle for an absent
/// optional.
[[nodiscard]] std::vector<Tensor> run_once(const Graph& graph, std::span<const Tensor> inputs,
                                           std::span<const ValueId> wanted);

}  // namespace detent
