#include "place/draft/quantizable_values.h"

#include <algorithm>
#include <set>

#include "ops/traits.h"
#include "place/draft/graph_facts.h"

namespace detent {

std::vector<ValueId> quantizable_values(const Graph& graph) {
  // Types do not depend on the target, and data slots only at recurrent layers, whose states HTP reads as codes.
  const GraphFacts facts(graph, target_list().front());
  std::set<ValueId> values;
  const auto add = [&](MaybeValue value) {
    if (value && facts.is_float(value) && !facts.is_constant(value)) values.insert(*value);
  };
  for (const Node& node : graph.nodes()) {
    for (const int slot : facts.data_slots(node.id)) add(node.input(slot));
    if (is_recurrent(node)) std::ranges::for_each(node.inputs, add);
  }
  for (const ValueId output : graph.outputs()) add(output);
  return {values.begin(), values.end()};
}

}  // namespace detent
