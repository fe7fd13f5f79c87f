#include <algorithm>
#include <map>

#include "exec/schedule.h"
#include "exec/schedule_builder.h"

namespace detent {

namespace {

MaybeValue first_output(const Step& step) {
  const auto found = std::ranges::find_if(step.outputs, [](MaybeValue value) { return bool(value); });
  return found == step.outputs.end() ? kNoValue : *found;
}

/// True for the same kernel on the same values. Every schedule makes the subgraphs of a node again; such nodes are
/// never fused and never rewired inside.
bool same_step(const Step& a, const Step& b) {
  const bool same_kernel = a.kernel == b.kernel || (!a.subgraphs.empty() && a.node == b.node);
  return same_kernel && a.inputs == b.inputs && a.residuals == b.residuals && a.outputs == b.outputs;
}

}  // namespace

void Schedule::watch(std::span<const ValueId> values) {
  for (const ValueId value : values) parts_.wanted[value] = true;
}

void Schedule::move_to(const Graph& graph) {
  for (Step& step : parts_.steps)
    for (FusedOp& op : step.fused) op.node = &graph.node(op.node->id);
  parts_.graph = &graph;
}

void Schedule::leave_shared_steps_to(const Schedule& base) {
  std::map<MaybeValue, const Step*> steps_of_base;
  for (const Step& step : base.parts_.steps) steps_of_base.emplace(first_output(step), &step);

  ValueMap<bool> differs(parts_.wanted.size());
  std::vector<Step> rest;
  for (Step& step : parts_.steps) {
    const auto twin = steps_of_base.find(first_output(step));
    const std::vector<ValueId> reads = reads_of(step);
    const bool shared = twin != steps_of_base.end() && same_step(step, *twin->second) &&
                        std::ranges::none_of(reads, [&](ValueId v) { return differs[v]; });
    if (shared) continue;
    for (const ValueId output : present(step.outputs)) differs[output] = true;
    rest.push_back(std::move(step));
  }
  parts_.steps = std::move(rest);

  ValueMap<bool> seen(parts_.wanted.size());
  parts_.needed.assign(parts_.wanted.size(), false);
  const auto need = [&](ValueId value) {
    if (differs[value] || constant(value) || seen[value]) return;
    seen[value] = true;
    if (parts_.graph->value(value).is_input)
      parts_.needed[value] = true;
    else
      given_.push_back(value);
  };
  for (const Step& step : parts_.steps)
    for (const ValueId value : reads_of(step)) need(value);
  for (const Value& value : graph().values())
    if (parts_.wanted[value.id]) need(value.id);

  bool covered = true;  // base has every constant: its table serves this schedule too
  for (Step& step : parts_.steps) {
    step.last_uses.clear();
    for (const ValueId value : reads_of(step)) covered = covered && (!constant(value) || base.constant(value));
  }
  find_last_uses(graph(), parts_.steps, [&](ValueId value) { return constant(value) != nullptr; });
  if (!covered) return;
  base_ = &base;
  parts_.constants = {};
}

}  // namespace detent
