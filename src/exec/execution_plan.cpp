#include "exec/execution_plan.h"

#include <algorithm>

#include "exec/plan_builder.h"

namespace detent {

ExecutionPlan::ExecutionPlan(const Graph& graph, std::span<const ValueId> wanted, const PlanOptions& options)
    : graph_(&graph), wanted_(graph.values().size()), needed_(graph.values().size()),
      constants_(graph.values().size()) {
  for (const ValueId value : wanted) wanted_[static_cast<size_t>(value)] = true;
  for (const auto& [value, tensor] : options.known) constants_[static_cast<size_t>(value)] = tensor;
  PlanBuilder builder(*this, options);
  builder.find_needed();
  builder.refuse_unsupported();
  builder.fold_constants();
  builder.find_needed();
  builder.make_steps();
  builder.find_last_uses();
}

const Tensor* ExecutionPlan::constant(ValueId value) const {
  if (value == kNoValue) return nullptr;
  if (const Tensor* given = graph_->constant(value)) return given;
  if (base_) return base_->constant(value);
  const Tensor& folded = constants_[static_cast<size_t>(value)];
  return folded.empty_handle() ? nullptr : &folded;
}

bool ExecutionPlan::needs_input(ValueId value) const { return needed_[static_cast<size_t>(value)]; }

}  // namespace detent
