#include "rewrite/table_inserter.h"

#include <algorithm>

namespace detent {

namespace {

/// Names of what stands for a table.
struct Constants {
  std::string codes, scales, zero_points;
  bool per_column = false;
};

/// TensorRT's parser wants zero points, though they are 0.
Constants add_constants(GraphPatch& patch, NameSource& names, const std::string& table, const BlockedWeight& written) {
  Tensor zeros(written.codes.type(), written.scales.shape());
  std::ranges::fill(zeros.mutable_data<int8_t>(), int8_t{0});
  Constants constants{names.fresh(table + "_quantized"), names.fresh(table + "_scale"),
                      names.fresh(table + "_zero_point"), written.scales.shape().rank() > 0};
  patch.add_initializers.emplace_back(constants.codes, written.codes);
  patch.add_initializers.emplace_back(constants.scales, written.scales);
  patch.add_initializers.emplace_back(constants.zero_points, std::move(zeros));
  return constants;
}

/// axis  of the last extent in `codes`.
NodeSpec dequantize(const std::string& name, const std::string& codes, const Constants& constants, int64_t axis,
                    const std::string& result) {
  std::vector<Attribute> attributes;
  if (constants.per_column) attributes.push_back({"axis", axis});
  return {"DequantizeLinear",    name, {codes, constants.scales, constants.zero_points}, {result},
          std::move(attributes), ""};
}

}  // namespace

void add_tables(GraphPatch& patch, NameSource& names, const Graph& graph, const PlacementPlan& plan,
                const BlockedWeights& weights) {
  for (const TableDecision& table : plan.tables) {
    const auto found = weights.find(table.value);
    if (found == weights.end()) continue;
    const Value& value = graph.value(table.value);
    const Constants constants = add_constants(patch, names, value.name, found->second);
    if (table.gathered && plan.target->engine == Engine::OnnxRuntime) {
      for (const Use& use : value.uses) {
        const Node& gather = graph.node(use.node);
        const std::string result = graph.value(gather.output(0)).name;
        const std::string gathered = names.fresh(result + "_quantized");
        patch.rewire.push_back({gather.name, use.slot, constants.codes});
        patch.rename_outputs.push_back({gather.name, 0, gathered});
        patch.add_nodes.push_back(
            dequantize(names.fresh(result + "_DequantizeLinear"), gathered, constants, -1, result));
      }
      continue;
    }
    const std::string result = names.fresh(value.name + "_dequantized");
    const auto last = static_cast<int64_t>(found->second.codes.shape().rank()) - 1;
    patch.add_nodes.push_back(
        dequantize(names.fresh(value.name + "_DequantizeLinear"), constants.codes, constants, last, result));
    for (const Use& use : value.uses) patch.rewire.push_back({graph.node(use.node).name, use.slot, result});
  }
}

}  // namespace detent
