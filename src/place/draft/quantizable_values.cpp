#include "place/draft/quantizable_values.h"

#include <set>

#include "place/draft/draft.h"

namespace detent {

std::vector<ValueId> quantizable_values(const Graph& graph) {
  const PlacementOptions options;
  // Types and data slots do not depend on the target.
  const PlacementDraft facts(graph, target_list().front(), options);
  std::set<ValueId> values;
  const auto add = [&](ValueId value) {
    if (facts.is_float(value) && !facts.is_constant(value)) values.insert(value);
  };
  for (const Node& node : graph.nodes())
    for (const int slot : facts.data_slots(node.id)) add(node.input(slot));
  for (const ValueId output : graph.outputs()) add(output);
  return {values.begin(), values.end()};
}

}  // namespace detent
