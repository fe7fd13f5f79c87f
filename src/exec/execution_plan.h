#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ops/operator.h"

namespace detent {

class ExecutionPlan;

/// Kernels by what they are made of: the node and the values that it and its fused followers read. Plans over rewirings of
/// one graph (GraphRewiring) that share one have each kernel, with its packed weights, once.
class KernelCache {
 public:
  using Key = std::vector<ValueId>;
  /// Made by `make` when there is none.
  template <class Make>
  std::shared_ptr<const Kernel> get(Key key, Make&& make) {
    std::shared_ptr<const Kernel>& kernel = kernels_[std::move(key)];
    if (!kernel) kernel = make();
    return kernel;
  }

 private:
  std::map<Key, std::shared_ptr<const Kernel>> kernels_;
};

/// A graph that a node holds as an attribute, planned for all of its outputs.
struct Subplan {
  /// A value of the graph around it that is read inside and not constant.
  struct Captured {
    ValueId outer = kNoValue;
    ValueId inner = kNoValue;
  };
  std::string attribute;
  std::shared_ptr<const ExecutionPlan> plan;
  std::vector<Captured> captured;
};

/// One step of a plan: a node with the followers fused into it.
struct Step {
  NodeId node = kNoNode;
  std::vector<FusedOp> fused;
  std::shared_ptr<const Kernel> kernel;
  LayoutNeed layout = LayoutNeed::Plain;
  bool any_value = false;          ///< OperatorDef::any_value
  std::vector<ValueId> inputs;     ///< kNoValue where left out
  std::vector<ValueId> residuals;  ///< extra inputs of fused Adds
  std::vector<Subplan> subgraphs;  ///< what they capture stays until the step is done
  std::vector<ValueId> outputs;    ///< of the last fused node
  std::vector<ValueId> last_uses;  ///< values no later step reads and that are not kept
};

struct PlanOptions {
  bool fuse = true;
  /// Fuse only followers that pick numbers and compute none (Relu, Clip), so that the bits of a value do not depend on which
  /// others are wanted: oneDNN rounds other activations, and convolutions with an Add, otherwise than separate steps do.
  bool exact_fusion = false;
  int team = 1;  ///< threads inside one kernel: for cores that have no sample of their own
  /// Constants that the graph itself does not know: those of the graph around a subgraph.
  std::span<const std::pair<ValueId, Tensor>> known = {};
  KernelCache* kernels = nullptr;  ///< for plans with the same `known`, which then holds all that can be folded
};

/// What must run, in which order, to compute `wanted` (and nothing else); values that depend on constants only are computed
/// once, here. Immutable and shared by all workers.
class ExecutionPlan {
 public:
  /// wanted  values to observe or return; the graph's outputs are included only when listed.
  /// Errors  Unsupported listing every needed node that cannot run.
  ExecutionPlan(const Graph& graph, std::span<const ValueId> wanted, const PlanOptions& options = {});

  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  [[nodiscard]] bool is_wanted(ValueId value) const { return wanted_[static_cast<size_t>(value)]; }
  /// Initializers, Constant nodes and folded constants; nullptr otherwise.
  [[nodiscard]] const Tensor* constant(ValueId value) const;
  /// Graph inputs that some step or wanted value needs.
  [[nodiscard]] bool needs_input(ValueId value) const;

  /// From now on looks at `graph`, another rewiring of the graph that it was made of; that one is no longer needed.
  void move_to(const Graph& graph);
  /// Have `values` observed too, where steps write them; unlike wanting them this changes no step.
  void watch(std::span<const ValueId> values);
  /// Leaves out the steps that `base` runs just so: the same kernel on the same values. The rest runs with
  /// Executor::resume, on the values of given(). `base`, which must outlive this plan, was made with the same options over
  /// a rewiring of the same graph. Every value then has the bits that the whole plan would give it.
  void leave_shared_steps_to(const ExecutionPlan& base);
  /// What leave_shared_steps_to() left out and something here reads or wants: values that steps of its `base` write.
  [[nodiscard]] std::span<const ValueId> given() const { return given_; }

 private:
  friend class PlanBuilder;
  const Graph* graph_;
  const ExecutionPlan* base_ = nullptr;  // holds the constants, after leave_shared_steps_to()
  std::vector<Step> steps_;
  std::vector<bool> wanted_;
  std::vector<bool> needed_;
  std::vector<Tensor> constants_;  // by ValueId; empty handles elsewhere
  std::vector<ValueId> given_;
};

}  // namespace detent
