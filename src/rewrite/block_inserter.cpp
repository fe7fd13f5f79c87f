#include "rewrite/block_inserter.h"

#include <map>
#include <string>

#include "model/name_source.h"
#include "rewrite/table_inserter.h"

namespace detent {

GraphPatch make_blocks_patch(const Graph& graph, const PlacementPlan& plan, const BlockedWeights& weights,
                             const BlockFormat& format) {
  GraphPatch patch;
  patch.reason = "quantize weights in blocks";
  NameSource names(graph);
  struct Constants {
    std::string codes, scales;
  };
  std::map<ValueId, Constants> written;
  for (const WeightDecision& decision : plan.weights) {
    const std::string& wish = graph.value(decision.value).name;
    const auto [entry, added] = written.try_emplace(decision.value);
    if (added) {
      const BlockedWeight& weight = weights.at(decision.value);
      entry->second = {names.fresh(wish + "_quantized"), names.fresh(wish + "_scale")};
      patch.add_initializers.emplace_back(entry->second.codes, weight.codes);
      patch.add_initializers.emplace_back(entry->second.scales, weight.scales);
    }
    const std::string result = names.fresh(wish + "_dequantized");
    std::vector<Attribute> attributes{{"axis", int64_t{format.block == 0 ? 1 : 0}}};
    if (format.block > 0) attributes.push_back({"block_size", format.block});
    patch.add_nodes.push_back({"DequantizeLinear",
                               names.fresh(wish + "_DequantizeLinear"),
                               {entry->second.codes, entry->second.scales},
                               {result},
                               std::move(attributes),
                               ""});
    patch.rewire.push_back({graph.node(decision.node).name, decision.slot, result});
  }
  add_tables(patch, names, graph, plan, weights);
  return patch;
}

int64_t opset_for(const BlockFormat& format) {
  constexpr int64_t kBlocks = 21, kChannels = 13;
  return format.block > 0 || format.codes == DataType::Int4 ? kBlocks : kChannels;
}

}  // namespace detent
