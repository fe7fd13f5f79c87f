//   wrong:   Conv --> AveragePool --> Q/DQ --> Conv      right:   Conv --> Q/DQ --> AveragePool --> Q/DQ --> Conv
//
// An op without weights between INT8 layers, which could run in INT8, reads floats: the layer before it writes floats,
// and the next one quantizes them.

#include <fmt/core.h>

#include "lint/findings/findings.h"
#include "lint/view/lint_engine.h"

namespace detent::findings {
void float_island(const LintView& view, FindingLog& log) {
  const auto belongs_in_int8 = *lint_engine(view.target().engine.id).belongs_in_int8;
  std::set<NodeId> named;
  for (const EdgeDecision& edge : view.given_plan().edges) {
    if (!edge.reads_pair() || view.facts().is_weighted(edge.consumer) || view.facts().is_constant(edge.value)) continue;
    if (!belongs_in_int8(view, edge) || view.is_quantized(edge.consumer, edge.slot)) continue;
    if (!named.insert(edge.consumer).second) continue;
    const Node& node = view.node(edge.consumer);
    std::vector<NodeId> layers = view.layers_reading(node.output(0));
    if (const MaybeNode before = view.layer_writing(edge.value)) layers.push_back(*before);
    log.add(node.name,
            fmt::format("reads '{}' in float between {} layers: the layer before it writes floats and the next one "
                        "quantizes again",
                        view.value(edge.value).name, view.codes()),
            "put pairs on its inputs and behind it", layers);
  }
}

}  // namespace detent::findings
