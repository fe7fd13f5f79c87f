#include "prepare/expand_operators.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "detent/base/error.h"
#include "model/graph_patch.h"
#include "ops/value_types.h"
#include "prepare/expand/expanders.h"
#include "prepare/subgraph_models.h"
#include "prepare/used_names.h"

namespace detent {

namespace {

/// True when the graph, or a graph inside it, holds a node with an expander.
bool holds_expandable(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    if (expand::find_expander(graph, node)) return true;
    return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
      const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
      return inner && holds_expandable(**inner);
    });
  });
}

std::string full_name(const Node& node) {
  return node.domain.empty() ? node.op_type : node.domain + "." + node.op_type;
}

void expand_main_graph(Model& model, Expansion& done) {
  const Graph& graph = model.graph();
  UsedNames names(model.proto().graph());
  const ValueMap<DataType> types = value_types(graph);
  GraphPatch patch;
  patch.reason = "expand operators of ONNX Runtime";
  for (const Node& node : graph.nodes()) {
    const expand::Expander* expander = expand::find_expander(graph, node);
    if (!expander) continue;
    try {
      expand::Body body(graph, node, types, names.unused_prefix(node.name));
      expander->expand(body);
      body.move_to(patch);
      ++done.operators[full_name(node)];
    } catch (const Error& error) {
      if (error.code() != ErrorCode::Unsupported) throw;
      done.kept.push_back({node.name, node.op_type, error.what()});
    }
  }
  if (!patch.empty()) apply_patch(model, patch);
}

void expand_all(Model& model, Expansion& done) {
  if (!holds_expandable(model.graph())) return;
  expand_main_graph(model, done);
  change_subgraphs(model, holds_expandable, [&](Model& inner) { expand_all(inner, done); });
}

}  // namespace

Expansion expand_operators(Model& model) {
  Expansion done;
  expand_all(model, done);
  return done;
}

void refuse_kept(const Expansion& expansion) {
  if (expansion.kept.empty()) return;
  const auto& [node, op_type, reason] = expansion.kept.front();
  throw Error(ErrorCode::Unsupported, "node '" + node + "' (" + op_type + "): " + reason);
}

}  // namespace detent
