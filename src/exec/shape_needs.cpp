#include "exec/shape_needs.h"

#include <algorithm>
#include <ranges>

#include "ops/traits.h"

namespace detent {

bool keeps_shapes_apart(OpKind kind) {
  switch (kind) {
    case OpKind::Other:
    case OpKind::QOperator:
    case OpKind::Fourier:
    case OpKind::Sequence: return false;
    default: return true;
  }
}

ValueMap<bool> values_that_decide_shapes(const Graph& graph) {
  ValueMap<bool> decides(graph.values().size());
  for (const Node& node : graph.nodes() | std::views::reverse) {
    const OpTraits& traits = traits_of(graph, node);
    if (traits.kind == OpKind::ShapeOf) continue;  // looks at no element
    const bool read_behind = std::ranges::any_of(present(node.outputs), [&](ValueId value) { return decides[value]; });
    const size_t data = !keeps_shapes_apart(traits.kind) ? 0
                        : traits.data_inputs < 0         ? node.inputs.size()
                                                         : static_cast<size_t>(traits.data_inputs);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot)
      if (node.inputs[slot] && (slot >= data || read_behind)) decides[*node.inputs[slot]] = true;
    for (const ValueId value : graph.captured_by(node)) decides[value] = true;
  }
  return decides;
}

}  // namespace detent
