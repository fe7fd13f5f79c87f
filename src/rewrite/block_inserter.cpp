#include "rewrite/block_inserter.h"

#include <algorithm>
#include <map>
#include <string>

#include "model/name_source.h"

namespace detent {

namespace {

/// Adds the codes of the plan's tables that `weights` holds, with a DequantizeLinear in front of their readers:
/// VALUE_quantized, VALUE_scale, VALUE_zero_point (0, which TensorRT's parser requires). Other tables stay float.
void add_tables(GraphPatch& patch, NameSource& names, const Graph& graph, const PlacementPlan& plan,
                const BlockedWeights& weights) {
  for (const TableDecision& table : plan.tables) {
    const auto found = weights.find(table.value);
    if (found == weights.end()) continue;
    const Value& value = graph.value(table.value);
    const auto& [codes, scales] = found->second;
    Tensor zeros(codes.type(), scales.shape());
    std::ranges::fill(zeros.mutable_data<int8_t>(), int8_t{0});
    const std::vector<std::string> inputs{names.fresh(value.name + "_quantized"), names.fresh(value.name + "_scale"),
                                          names.fresh(value.name + "_zero_point")};
    patch.add_initializers.emplace_back(inputs[0], codes);
    patch.add_initializers.emplace_back(inputs[1], scales);
    patch.add_initializers.emplace_back(inputs[2], std::move(zeros));
    std::vector<Attribute> attributes;
    if (scales.shape().rank() > 0)
      attributes.push_back(Attribute{"axis", static_cast<int64_t>(codes.shape().rank()) - 1});
    const std::string result = names.fresh(value.name + "_dequantized");
    patch.add_nodes.push_back(
        {"DequantizeLinear", names.fresh(value.name + "_DequantizeLinear"), inputs, {result}, attributes, ""});
    for (const Use& use : value.uses) patch.rewire.push_back({graph.node(use.node).name, use.slot, result});
  }
}

}  // namespace

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
    const bool matrix = weights.at(decision.value).codes.shape().rank() == 2;
    std::vector<Attribute> attributes{{"axis", matrix ? int64_t{format.block == 0 ? 1 : 0} : int64_t{decision.axis}}};
    if (matrix && format.block > 0)
      attributes.push_back({"block_size", rows_in_block(format, weights.at(decision.value).codes.shape()[0])});
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
