#include "ops/find_operator.h"

#include <algorithm>
#include <unordered_map>

#include "ops/op_list.h"

namespace detent {

namespace {

using Index = std::unordered_multimap<std::string_view, const OperatorDef*>;

const Index& index_by_name() {
  static const Index index = [] {
    Index by_name;
    for (const OperatorDef& definition : operator_list()) by_name.emplace(definition.op_type, &definition);
    return by_name;
  }();
  return index;
}

/// The standard domain has two spellings.
std::string_view canonical(std::string_view domain) { return domain == "ai.onnx" ? std::string_view() : domain; }

std::string why_missing(const Node& node, int64_t opset) {
  if (find_at_any_opset(node.domain, node.op_type))
    return "this operator is not supported at opset " + std::to_string(opset);
  return "this operator is not supported";
}

}  // namespace

const OperatorDef* find_operator(std::string_view domain, std::string_view op_type, int64_t opset) {
  const auto [first, last] = index_by_name().equal_range(op_type);
  for (auto it = first; it != last; ++it) {
    const OperatorDef& definition = *it->second;
    if (definition.domain == canonical(domain) && opset >= definition.first_opset && opset <= definition.last_opset)
      return &definition;
  }
  return nullptr;
}

const OperatorDef* find_at_any_opset(std::string_view domain, std::string_view op_type) {
  const auto [first, last] = index_by_name().equal_range(op_type);
  for (auto it = first; it != last; ++it)
    if (it->second->domain == canonical(domain)) return it->second;
  return nullptr;
}

namespace {

/// Adds the nodes that cannot run inside the subgraphs of `node`, as reasons why the node itself cannot.
void find_unsupported_inside(const Node& node, std::vector<UnsupportedNode>& found) {
  for (const Attribute& attribute : node.attributes) {
    const auto* held = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
    if (!held) continue;
    const Graph& graph = **held;
    std::vector<NodeId> inner;
    for (const Node& one : graph.nodes()) inner.push_back(one.id);
    for (const UnsupportedNode& item : find_unsupported(graph, inner)) {
      const Node& culprit = graph.node(item.node);
      found.push_back({node.id, "in its " + attribute.name + ", node '" + culprit.name + "' (" + culprit.op_type +
                                    "): " + item.reason});
    }
  }
}

}  // namespace

std::vector<UnsupportedNode> find_unsupported(const Graph& graph, std::span<const NodeId> nodes) {
  std::vector<UnsupportedNode> found;
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    const int64_t opset = graph.opset(node.domain);
    const OperatorDef* definition = find_operator(node.domain, node.op_type, opset);
    if (!definition) {
      found.push_back({id, why_missing(node, opset)});
      continue;
    }
    if (definition->check)
      if (auto refused = definition->check(KernelContext{graph, node, opset})) found.push_back({id, refused->reason});
    find_unsupported_inside(node, found);
  }
  return found;
}

}  // namespace detent
