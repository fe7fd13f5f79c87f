#include "ops/operator.h"

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
  const auto [first, last] = index_by_name().equal_range(node.op_type);
  for (auto it = first; it != last; ++it)
    if (it->second->domain == canonical(node.domain))
      return "this operator is not supported at opset " + std::to_string(opset);
  return "this operator is not supported";
}

}  // namespace

const Tensor* KernelContext::constant(size_t slot) const {
  const ValueId value = node.input(slot);
  if (value == kNoValue) return nullptr;
  if (static_cast<size_t>(value) < folded.size() && !folded[static_cast<size_t>(value)].empty_handle())
    return &folded[static_cast<size_t>(value)];
  return graph.constant(value);
}

void* Workspace::scratch(size_t bytes) {
  if (!scratch_ || scratch_.capacity() < bytes) {
    scratch_.reset();
    scratch_ = Allocator::heap().allocate(bytes);
  }
  return scratch_.data();
}

Tensor& KernelCall::make_output_like(size_t i, size_t from) {
  const Tensor& source = inputs_[from];
  if (!source.owns_memory_alone()) return make_output(i, source.type(), source.shape(), source.layout());
  outputs_[i] = source;
  return outputs_[i];
}

SubgraphRunner& KernelCall::subgraphs() const {
  if (!subgraphs_) throw Error(ErrorCode::Internal, "a node with subgraphs was run without a runner for them");
  return *subgraphs_;
}

const OperatorDef* find_operator(std::string_view domain, std::string_view op_type, int64_t opset) {
  const auto [first, last] = index_by_name().equal_range(op_type);
  for (auto it = first; it != last; ++it) {
    const OperatorDef& definition = *it->second;
    if (definition.domain == canonical(domain) && opset >= definition.first_opset && opset <= definition.last_opset)
      return &definition;
  }
  return nullptr;
}

bool is_activation(OpKind kind) {
  switch (kind) {
    case OpKind::Relu:
    case OpKind::LeakyRelu:
    case OpKind::Clip:
    case OpKind::Sigmoid:
    case OpKind::HardSigmoid:
    case OpKind::HardSwish:
    case OpKind::Silu:
    case OpKind::Tanh:
    case OpKind::OtherActivation: return true;
    default: return false;
  }
}

const OpTraits& traits_of(const Graph& graph, const Node& node) {
  static const OpTraits unknown;
  if (const OperatorDef* exact = find_operator(node.domain, node.op_type, graph.opset(node.domain)))
    return exact->traits;
  const auto [first, last] = index_by_name().equal_range(node.op_type);
  for (auto it = first; it != last; ++it)
    if (it->second->domain == canonical(node.domain)) return it->second->traits;
  return unknown;
}

namespace {

/// What cannot run inside the subgraphs of `node`, as reasons why the node itself cannot.
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
