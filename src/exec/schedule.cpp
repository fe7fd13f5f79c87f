#include "exec/schedule.h"

#include "exec/schedule_builder.h"

namespace detent {

namespace {

void schedule_subgraph(const Graph& graph, const ScheduleOptions& options, ScheduledSubgraph& subgraph) {
  subgraph.schedule = std::make_shared<const Schedule>(graph, graph.outputs(), options);
  std::erase_if(subgraph.captured, [&](const auto& value) { return !subgraph.schedule->needs_input(value.inner); });
}

}  // namespace

Schedule::Schedule(const Graph& graph, std::span<const ValueId> wanted, const ScheduleOptions& options)
    : parts_(ScheduleBuilder(graph, wanted, options, schedule_subgraph).build()) {}

const Tensor* Schedule::constant(MaybeValue value) const {
  if (const Tensor* own = parts_.constant(value)) return own;
  return base_ ? base_->constant(value) : nullptr;
}

}  // namespace detent
