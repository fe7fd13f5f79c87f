#include "prepare/plain_nodes.h"

#include <algorithm>
#include <map>

#include "core/onnx_type.h"
#include "model/graph_patch.h"
#include "ops/traits.h"
#include "ops/value_types.h"

namespace detent {

namespace {

size_t apply_removals(Model& model, const GraphPatch& patch) {
  if (!patch.remove_nodes.empty()) apply_patch(model, patch);
  return patch.remove_nodes.size();
}

/// Lets readers of the nodes that only copy their input read that, and removes them. One stays where a subgraph reads
/// it, and where it writes an output that its maker cannot write.
template <typename Copies>
size_t forward_copies(Model& model, const char* reason, Copies copies) {
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = reason;
  std::map<ValueId, ValueId> source;  // output of such a node -> what it copies
  for (const Node& node : graph.nodes()) {
    if (!node.domain.empty() || !node.input(0) || !node.output(0) || !copies(node)) continue;
    const Value &read = graph.value(*node.input(0)), &written = graph.value(*node.output(0));
    if (std::ranges::any_of(written.uses, [](const Use& use) { return use.slot < 0; })) continue;
    const auto chained = source.find(read.id);
    if (!written.is_output) {
      source.emplace(written.id, chained == source.end() ? read.id : chained->second);
    } else {
      const Node* producer = graph.producer(read.id);
      if (!producer || chained != source.end() || read.uses.size() != 1 || read.is_output) continue;
      const auto slot = std::ranges::find(producer->outputs, MaybeValue(read.id)) - producer->outputs.begin();
      patch.rename_outputs.push_back({producer->name, static_cast<int>(slot), written.name});
      for (const Use& use : written.uses) patch.rewire.push_back({graph.node(use.node).name, use.slot, written.name});
    }
    patch.remove_nodes.push_back(node.name);
  }
  for (const auto& [copy, read] : source)
    for (const Use& use : graph.value(copy).uses)
      if (std::ranges::find(patch.remove_nodes, graph.node(use.node).name) == patch.remove_nodes.end())
        patch.rewire.push_back({graph.node(use.node).name, use.slot, graph.value(read).name});
  return apply_removals(model, patch);
}

}  // namespace

size_t forward_constants(Model& model) {
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = "read constants without the Identity between";
  std::map<ValueId, ValueId> source;  // output of an Identity -> the constant that it copies
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "Identity" || !node.domain.empty() || !node.input(0) || !node.output(0)) continue;
    const auto chained = source.find(*node.input(0));
    const ValueId constant = chained == source.end() ? *node.input(0) : chained->second;
    const Value& written = graph.value(*node.output(0));
    const bool in_subgraph = std::ranges::any_of(written.uses, [](const Use& use) { return use.slot < 0; });
    if (!graph.value(constant).is_constant || written.is_output || in_subgraph) continue;
    source.emplace(written.id, constant);
    patch.remove_nodes.push_back(node.name);
  }
  for (const auto& [copy, constant] : source)
    for (const Use& use : graph.value(copy).uses)
      if (const MaybeValue written = graph.node(use.node).output(0); !written || !source.contains(*written))
        patch.rewire.push_back({graph.node(use.node).name, use.slot, graph.value(constant).name});
  return apply_removals(model, patch);
}

size_t forward_empty_casts(Model& model, const std::set<std::string>* among) {
  const ValueMap<DataType> types = value_types(model.graph());
  return forward_copies(model, "leave out Casts to the type that comes", [&](const Node& node) {
    return node.op_type == "Cast" && (!among || among->contains(node.name)) &&
           types[*node.input(0)] == types[*node.output(0)] && types[*node.input(0)] != DataType::Undefined;
  });
}

size_t forward_empty_dropouts(Model& model) {
  const Graph& graph = model.graph();
  return forward_copies(model, "leave out Dropouts of ratio 0", [&](const Node& node) {
    const Tensor* ratio = node.op_type == "Dropout" ? graph.constant(node.input(1)) : nullptr;
    const auto is_read = [&](ValueId value) {
      return graph.value(value).is_output || !graph.value(value).uses.empty();
    };
    return ratio && ratio->element_count() == 1 && cast(*ratio, DataType::Float32).data<float>()[0] == 0 &&
           !(node.output(1) && is_read(*node.output(1)));
  });
}

bool is_sum_of_two(const Node& node) {
  return node.op_type == "Sum" && node.domain.empty() && node.inputs.size() == 2 && node.input(0) && node.input(1) &&
         node.output(0);
}

size_t make_adds_of_sums(Model& model) {
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = "make an Add of each Sum of two";
  for (const Node& node : graph.nodes()) {
    if (!is_sum_of_two(node)) continue;
    const auto name = [&](MaybeValue value) { return graph.value(*value).name; };
    patch.remove_nodes.push_back(node.name);
    patch.add_nodes.push_back(
        {"Add", node.name, {name(node.input(0)), name(node.input(1))}, {name(node.output(0))}, {}, ""});
  }
  return apply_removals(model, patch);
}

size_t replace_cast_likes(Model& model) {
  const Graph& graph = model.graph();
  const auto is_cast_like = [](const Node& node) { return node.op_type == "CastLike" && node.domain.empty(); };
  if (std::ranges::none_of(graph.nodes(), is_cast_like)) return 0;
  GraphPatch patch;
  patch.reason = "replace CastLike by Cast";
  const ValueMap<DataType> types = value_types(graph);
  for (const Node& node : graph.nodes()) {
    if (!is_cast_like(node) || !node.input(0) || !node.output(0)) continue;
    const int32_t type = onnx_type_of(types[*node.output(0)]);
    if (type == 0) continue;
    patch.remove_nodes.push_back(node.name);
    NodeSpec cast{"Cast",          node.name, {graph.value(*node.input(0)).name}, {graph.value(*node.output(0)).name},
                  node.attributes, ""};
    cast.attributes.push_back({"to", static_cast<int64_t>(type)});
    patch.add_nodes.push_back(std::move(cast));
  }
  return apply_removals(model, patch);
}

size_t leave_out_unread_states(Model& model) {
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = "leave out states that nothing reads";
  for (const Node& node : graph.nodes()) {
    if (!is_recurrent(node)) continue;
    for (size_t slot = 0; slot < node.outputs.size(); ++slot) {
      const MaybeValue output = node.outputs[slot];
      if (!output || graph.value(*output).is_output || !graph.value(*output).uses.empty()) continue;
      patch.rename_outputs.push_back({node.name, static_cast<int>(slot), ""});
    }
  }
  if (!patch.empty()) apply_patch(model, patch);
  return patch.rename_outputs.size();
}

}  // namespace detent
