#include <algorithm>
#include <unordered_map>

#include "exec/execution_plan.h"
#include "exec/plan_builder.h"

namespace detent {

namespace {

ValueId first_output(const Step& step) {
  const auto found = std::ranges::find_if(step.outputs, [](ValueId value) { return value != kNoValue; });
  return found == step.outputs.end() ? kNoValue : *found;
}

/// Everything that a step reads, the captured values of its subgraphs included.
std::vector<ValueId> reads_of(const Step& step) {
  std::vector<ValueId> reads(step.inputs);
  reads.insert(reads.end(), step.residuals.begin(), step.residuals.end());
  for (const Subplan& subplan : step.subgraphs)
    for (const Subplan::Captured& captured : subplan.captured) reads.push_back(captured.outer);
  std::erase(reads, kNoValue);
  return reads;
}

/// Nodes with subgraphs are planned anew for every plan; they are never fused and never rewired inside.
bool same_step(const Step& a, const Step& b) {
  const bool same_kernel = a.kernel == b.kernel || (!a.subgraphs.empty() && a.node == b.node);
  return same_kernel && a.inputs == b.inputs && a.residuals == b.residuals && a.outputs == b.outputs;
}

}  // namespace

void ExecutionPlan::watch(std::span<const ValueId> values) {
  for (const ValueId value : values) wanted_[static_cast<size_t>(value)] = true;
}

/// Values and nodes have the same ids in all rewirings.
void ExecutionPlan::move_to(const Graph& graph) {
  for (Step& step : steps_)
    for (FusedOp& op : step.fused) op.node = &graph.node(op.node->id);
  graph_ = &graph;
}

void ExecutionPlan::leave_shared_steps_to(const ExecutionPlan& base) {
  std::unordered_map<ValueId, const Step*> steps_of_base;
  for (const Step& step : base.steps_) steps_of_base.emplace(first_output(step), &step);

  std::vector<bool> differs(wanted_.size());
  std::vector<Step> rest;
  for (Step& step : steps_) {
    const auto twin = steps_of_base.find(first_output(step));
    const std::vector<ValueId> reads = reads_of(step);
    const bool shared = twin != steps_of_base.end() && same_step(step, *twin->second) &&
                        std::ranges::none_of(reads, [&](ValueId v) { return differs[static_cast<size_t>(v)]; });
    if (shared) continue;
    for (const ValueId output : step.outputs)
      if (output != kNoValue) differs[static_cast<size_t>(output)] = true;
    rest.push_back(std::move(step));
  }
  steps_ = std::move(rest);

  std::vector<bool> seen(wanted_.size());
  needed_.assign(wanted_.size(), false);
  const auto need = [&](ValueId value) {
    if (differs[static_cast<size_t>(value)] || constant(value) || seen[static_cast<size_t>(value)]) return;
    seen[static_cast<size_t>(value)] = true;
    if (graph_->value(value).is_input)
      needed_[static_cast<size_t>(value)] = true;
    else
      given_.push_back(value);
  };
  for (const Step& step : steps_)
    for (const ValueId value : reads_of(step)) need(value);
  for (size_t value = 0; value < wanted_.size(); ++value)
    if (wanted_[value]) need(static_cast<ValueId>(value));

  bool covered = true;  // base has every constant: the one table serves all plans
  for (Step& step : steps_) {
    step.last_uses.clear();
    for (const ValueId value : reads_of(step)) covered = covered && (!constant(value) || base.constant(value));
  }
  PlanBuilder(*this, {}).find_last_uses();
  if (!covered) return;
  base_ = &base;
  constants_ = {};
}

}  // namespace detent
