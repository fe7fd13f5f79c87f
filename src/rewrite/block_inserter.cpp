#include "rewrite/block_inserter.h"

#include <algorithm>
#include <map>
#include <string>

#include "model/name_source.h"

namespace detent {

namespace {

/// Names of the constants that replace a table.
struct TableConstants {
  std::string codes, scales, zero_points;
  bool per_column = false;
};

/// Adds the constants. TensorRT's parser requires zero points, although they are 0.
TableConstants add_constants(GraphPatch& patch, NameSource& names, const std::string& table,
                             const BlockedWeight& written) {
  Tensor zeros(written.codes.type(), written.scales.shape());
  std::ranges::fill(zeros.mutable_data<int8_t>(), int8_t{0});
  TableConstants constants{names.fresh(table + "_quantized"), names.fresh(table + "_scale"),
                           names.fresh(table + "_zero_point"), written.scales.shape().rank() > 0};
  patch.add_initializers.emplace_back(constants.codes, written.codes);
  patch.add_initializers.emplace_back(constants.scales, written.scales);
  patch.add_initializers.emplace_back(constants.zero_points, std::move(zeros));
  return constants;
}

/// Returns a DequantizeLinear of the codes. axis  the last one
NodeSpec dequantize(const std::string& name, const std::string& codes, const TableConstants& constants, int64_t axis,
                    const std::string& result) {
  std::vector<Attribute> attributes;
  if (constants.per_column) attributes.push_back({"axis", axis});
  return {"DequantizeLinear",    name, {codes, constants.scales, constants.zero_points}, {result},
          std::move(attributes), ""};
}

/// Adds the codes of the plan's tables that `weights` holds: VALUE_quantized, VALUE_scale, VALUE_zero_point (0). Other
/// tables stay float.
///
///   TensorRT:      codes -> DequantizeLinear -> readers. NVIDIA's engines take scales per channel on constants only.
///   ONNX Runtime:  the same, except that with GatheredTables::Codes a Gather reads the codes and a DequantizeLinear
///                  with axis -1 follows it; otherwise every run would convert the whole table to float.
void add_tables(GraphPatch& patch, NameSource& names, const Graph& graph, const PlacementPlan& plan,
                const BlockedWeights& weights, GatheredTables gathered_tables) {
  const bool gathers_codes = gathered_tables == GatheredTables::Codes && plan.target->engine.gathers_codes;
  for (const TableDecision& table : plan.tables) {
    const auto found = weights.find(table.value);
    if (found == weights.end()) continue;
    const Value& value = graph.value(table.value);
    const TableConstants constants = add_constants(patch, names, value.name, found->second);
    if (table.gathered && gathers_codes) {
      for (const Use& use : value.uses) {
        const Node& gather = graph.node(use.node);
        const std::string result = graph.value(*gather.output(0)).name;
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

}  // namespace

GraphPatch make_blocks_patch(const Graph& graph, const PlacementPlan& plan, const BlockedWeights& weights,
                             const BlockFormat& format, GatheredTables gathered) {
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
    if (format.block > 0)
      attributes.push_back({"block_size", rows_in_block(format, weights.at(decision.value).codes.shape()[0])});
    patch.add_nodes.push_back({"DequantizeLinear",
                               names.fresh(wish + "_DequantizeLinear"),
                               {entry->second.codes, entry->second.scales},
                               {result},
                               std::move(attributes),
                               ""});
    patch.rewire.push_back({graph.node(decision.node).name, decision.slot, result});
  }
  add_tables(patch, names, graph, plan, weights, gathered);
  return patch;
}

int64_t opset_for(const BlockFormat& format) {
  constexpr int64_t kBlocks = 21, kChannels = 13;
  return format.block > 0 || format.codes == DataType::Int4 ? kBlocks : kChannels;
}

}  // namespace detent
