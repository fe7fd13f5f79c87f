#include "ops/source_of_copy.h"

#include "ops/traits.h"

namespace detent {

ValueId source_of_copy(const Graph& graph, ValueId value) {
  while (const Node* node = graph.producer(value)) {
    const OpTraits& traits = traits_of(graph, *node);
    const bool copies = traits.commutes || traits.kind == OpKind::Cast;
    const bool one_input = traits.data_inputs == 1 || node->inputs.size() == 1;
    if (!copies || !one_input || !node->input(0)) break;
    value = *node->input(0);
  }
  return value;
}

}  // namespace detent
