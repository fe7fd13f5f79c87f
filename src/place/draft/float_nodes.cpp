#include "place/draft/float_nodes.h"

#include <algorithm>

#include "ops/value_types.h"
#include "place/draft/graph_facts.h"

namespace detent {

FloatNodes count_float_nodes(const Graph& graph) {
  const GraphFacts facts(graph, target_list().front());  // types do not depend on the target
  const ValueMap<DataType> types = value_types(graph);
  const auto is_float = [&](MaybeValue value) { return facts.is_float(value); };
  const auto type_of = [&](MaybeValue value) { return types[*value]; };
  FloatNodes nodes;
  for (const Node& node : graph.nodes()) {
    const auto made = std::ranges::find_if(node.outputs, is_float);
    if (made == node.outputs.end() || graph.value(**made).is_constant) continue;
    const OpKind kind = facts.kind(node.id);
    if (kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear) continue;
    if (kind != OpKind::Cast)
      ++nodes.by_type[type_of(*made)];
    else if (is_float(node.input(0)) && type_of(node.input(0)) != type_of(*made))
      ++nodes.casts;
  }
  return nodes;
}

}  // namespace detent
