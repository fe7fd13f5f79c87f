#include "exec/step.h"

namespace detent {

std::vector<ValueId> reads_of(const Step& step) {
  std::vector<ValueId> reads;
  for (const ValueId value : present(step.inputs)) reads.push_back(value);
  reads.insert(reads.end(), step.residuals.begin(), step.residuals.end());
  for (const ScheduledSubgraph& subgraph : step.subgraphs)
    for (const ScheduledSubgraph::Captured& captured : subgraph.captured) reads.push_back(captured.outer);
  return reads;
}

const Tensor* ScheduleParts::constant(MaybeValue value) const {
  if (!value) return nullptr;
  if (const Tensor* given = graph->constant(value)) return given;
  if (constants.empty()) return nullptr;
  const Tensor& folded = constants[*value];
  return folded.empty_handle() ? nullptr : &folded;
}

}  // namespace detent
