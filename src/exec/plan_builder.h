#pragma once

#include <optional>
#include <vector>

#include "exec/execution_plan.h"

namespace detent {

/// Fills an ExecutionPlan; its functions are called once each, in the order in which they stand here.
class PlanBuilder {
 public:
  PlanBuilder(ExecutionPlan& plan, const PlanOptions& options);

  /// Marks values and nodes that a wanted value depends on; constants depend on nothing.
  void find_needed();
  /// Errors  Unsupported with every needed node that cannot run, one a line.
  void refuse_unsupported() const;
  /// Computes needed nodes all of whose inputs are constant.
  void fold_constants();
  /// One step per needed node, followers fused where their inner values are not wanted.
  void make_steps();
  void find_last_uses();

 private:
  /// The only needed reader of `value`, or nothing when there are several, or none, or the value itself is wanted.
  [[nodiscard]] std::optional<Use> only_use(ValueId value) const;
  [[nodiscard]] std::vector<Use> needed_uses(ValueId value) const;
  /// The follower that could be fused behind `value`, claimed or not.
  [[nodiscard]] std::optional<FusedOp> follower(ValueId value) const;
  [[nodiscard]] std::optional<OpKind> self_gated(const Node& gate) const;
  [[nodiscard]] std::optional<FusedOp> self_gate_behind(ValueId value) const;
  [[nodiscard]] std::vector<FusedOp> followers(const Node& node) const;
  void claim(const FusedOp& op);
  void add_step(const Node& node);
  [[nodiscard]] std::vector<Subplan> plan_subgraphs(const Node& node) const;
  [[nodiscard]] static KernelCache::Key kernel_key(const Node& node, const Step& step);
  [[nodiscard]] KernelContext context_for(const Node& node) const;

  ExecutionPlan& plan_;
  const Graph& graph_;
  PlanOptions options_;
  std::vector<bool> node_needed_;
  std::vector<bool> claimed_;     // by NodeId: fused into an earlier node's step
  std::vector<NodeId> position_;  // by step: the node at whose place in the order it runs
};

}  // namespace detent
