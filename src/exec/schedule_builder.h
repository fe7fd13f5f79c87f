#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "exec/step.h"
#include "ops/operator.h"

namespace detent {

/// Schedules `graph`, which a node holds as an attribute: sets `subgraph.schedule` and drops the captured values that
/// the schedule does not need.
using SubgraphScheduler =
    std::function<void(const Graph& graph, const ScheduleOptions& options, ScheduledSubgraph& subgraph)>;

/// Fills in Step::last_uses, which are empty before. is_constant  values that no step has to let go.
void find_last_uses(const Graph& graph, std::span<Step> steps, const std::function<bool(ValueId)>& is_constant);

/// The maker of the parts of one schedule.
class ScheduleBuilder {
 public:
  ScheduleBuilder(const Graph& graph, std::span<const ValueId> wanted, const ScheduleOptions& options,
                  SubgraphScheduler schedule_subgraph);

  /// Makes the parts; called once.
  /// Errors  Unsupported listing every needed node that cannot run.
  [[nodiscard]] ScheduleParts build();

 private:
  /// Marks values and nodes that a wanted value depends on; constants depend on nothing.
  void find_needed();
  /// Throws Unsupported with every needed node that cannot run, one a line.
  void refuse_unsupported() const;
  /// Computes needed nodes all of whose inputs are constant; makes only the shape of values of which nothing else is
  /// read.
  void fold_constants();
  enum class Unread : uint8_t { Leave, Make };
  /// Folds in one pass in the order of the nodes. Leave  without nodes that could_stay_unread().
  void fold_constants(Unread unread);
  /// True for a constant DequantizeLinear whose only readers might read its shape alone.
  [[nodiscard]] bool could_stay_unread(const Node& node) const;
  /// True when its readers do so, as far as constants are known.
  [[nodiscard]] bool stays_unread(const Node& node) const;
  /// True for the weight of a product in blocks or of 4 bits, in a model with many of them: codes in memory, floats
  /// while it is read.
  [[nodiscard]] bool keeps_codes(const Node& node) const;
  /// True for a large constant weight that each reader keeps in another order: floats are made for each of them when it
  /// packs them, so that they do not lie in memory twice.
  [[nodiscard]] bool is_packed_by_readers(const Node& node) const;
  /// True when a constant that `node` reads is large; all that it reads are constant.
  [[nodiscard]] bool reads_large(const Node& node) const;
  /// Makes one step per needed node; fuses followers where their inner values are not wanted.
  void make_steps();

  /// Returns the DequantizeLinear in front of `node` whose codes its kernel can take instead; nullptr when there is
  /// none.
  [[nodiscard]] const Node* passed_by(const Node& node) const;
  /// Fills in passed_by_. Nodes that every reader passes by need no step.
  void find_passed_by();

  [[nodiscard]] const Tensor* constant(MaybeValue value) const { return parts_.constant(value); }
  /// Returns the only needed reader of `value`; nullopt for several or none, and when the value itself is wanted.
  [[nodiscard]] std::optional<Use> only_use(MaybeValue value) const;
  [[nodiscard]] std::vector<Use> needed_uses(ValueId value) const;
  /// Returns the follower that could be fused behind `value`, claimed or not.
  [[nodiscard]] std::optional<FusedOp> follower(MaybeValue value) const;
  /// Returns the same where it is a SelfGatedActivation that has a kernel, and nothing else reads its x or its gate.
  [[nodiscard]] std::optional<FusedOp> self_gate_behind(ValueId value) const;
  /// True where the fused follower of `node` computes the bits of a separate step (ScheduleOptions::exact_fusion).
  [[nodiscard]] bool fuses_exactly(const Node& node, OpKind follower) const;
  [[nodiscard]] std::vector<FusedOp> followers(const Node& node) const;
  void claim(const FusedOp& op);
  /// Fills in programs_: groups of nodes that one kernel runs row by row, where nothing else reads the values inside.
  void find_row_programs();
  /// Returns the nodes that can run in one program with `last`, which writes its result, in order; with it.
  [[nodiscard]] std::vector<const Node*> row_program_of(const Node& last, const NodeMap<bool>& by_rows) const;
  void add_row_program(std::span<const Node* const> nodes);
  void add_step(const Node& node);
  [[nodiscard]] std::vector<ScheduledSubgraph> schedule_subgraphs(const Node& node) const;
  [[nodiscard]] static KernelCache::Key kernel_key(const Node& node, const Step& step);
  /// Appends a step that runs at the place of node `position`.
  void append(Step step, NodeId position);
  [[nodiscard]] KernelContext context_for(const Node& node) const;
  /// Returns the operator of a needed node, which has one.
  [[nodiscard]] const OperatorDef* operation_of(const Node& node) const;

  const Graph& graph_;
  ScheduleOptions options_;
  SubgraphScheduler schedule_subgraph_;
  ScheduleParts parts_;
  NodeMap<bool> node_needed_;
  ValueMap<bool> decides_shapes_;  // empty unless only shapes are wanted
  bool lean_;                      // weights of more than a gigabyte
  bool keep_copies_;               // of large constants, packed
  bool many_codes_;                // as floats, weights in blocks would take much memory
  NodeMap<const Node*> passed_by_;
  std::vector<std::vector<const Node*>> programs_;
  NodeMap<bool> claimed_;         // fused into an earlier node's step
  std::vector<NodeId> position_;  // by step: the node at whose place in the order it runs
};

}  // namespace detent
