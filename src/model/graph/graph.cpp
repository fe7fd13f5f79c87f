#include "model/graph/graph.h"

#include <algorithm>

namespace detent {

void refuse_absent() {
  throw Error(ErrorCode::Internal, "a question about an operand that the node leaves out, or a node that is not there");
}

namespace {

template <class T>
constexpr std::string_view kTypeText = "";
template <>
constexpr std::string_view kTypeText<int64_t> = "an integer";
template <>
constexpr std::string_view kTypeText<float> = "a float";
template <>
constexpr std::string_view kTypeText<std::string> = "a string";
template <>
constexpr std::string_view kTypeText<std::vector<int64_t>> = "a list of integers";
template <>
constexpr std::string_view kTypeText<std::vector<float>> = "a list of floats";
template <>
constexpr std::string_view kTypeText<Tensor> = "a tensor";
template <>
constexpr std::string_view kTypeText<std::shared_ptr<const Graph>> = "a graph";

/// Returns the attribute as T; nullptr when the node does not have it.
template <class T>
const T* attribute_as(const Node& node, std::string_view name) {
  const AttributeValue* value = node.find_attribute(name);
  if (!value) return nullptr;
  if (const T* typed = std::get_if<T>(value)) return typed;
  throw Error(ErrorCode::InvalidModel, "node '" + node.name + "' (" + node.op_type + "): attribute '" +
                                           std::string(name) + "' must be " + std::string(kTypeText<T>));
}

template <class T>
T attribute_or(const Node& node, std::string_view name, T fallback) {
  const T* value = attribute_as<T>(node, name);
  return value ? *value : std::move(fallback);
}

}  // namespace

const AttributeValue* Node::find_attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &Attribute::name);
  return found == attributes.end() ? nullptr : &found->value;
}

int64_t Node::int_or(std::string_view wanted, int64_t fallback) const { return attribute_or(*this, wanted, fallback); }

float Node::float_or(std::string_view wanted, float fallback) const { return attribute_or(*this, wanted, fallback); }

std::string Node::string_or(std::string_view wanted, std::string_view fallback) const {
  return attribute_or(*this, wanted, std::string(fallback));
}

std::vector<int64_t> Node::ints_or(std::string_view wanted, std::vector<int64_t> fallback) const {
  return attribute_or(*this, wanted, std::move(fallback));
}

std::vector<float> Node::floats_or(std::string_view wanted, std::vector<float> fallback) const {
  return attribute_or(*this, wanted, std::move(fallback));
}

const Tensor* Node::tensor(std::string_view wanted) const { return attribute_as<Tensor>(*this, wanted); }

std::shared_ptr<const Graph> Node::graph(std::string_view wanted) const {
  const auto* found = attribute_as<std::shared_ptr<const Graph>>(*this, wanted);
  return found ? *found : nullptr;
}

ValueId Graph::find_value(std::string_view name) const {
  const auto found = value_ids_.find(std::string(name));
  return found == value_ids_.end() ? kNoValue : found->second;
}

NodeId Graph::find_node(std::string_view name) const {
  const auto found = node_ids_.find(std::string(name));
  return found == node_ids_.end() ? kNoNode : found->second;
}

const Tensor* Graph::constant(ValueId id) const {
  if (const auto found = constants_.find(id); found != constants_.end()) return &found->second;
  if (const auto found = unreadable_.find(id); found != unreadable_.end())
    throw Error(ErrorCode::Unsupported, "constant '" + value(id).name + "': " + found->second);
  return nullptr;
}

const Node* Graph::producer(ValueId id) const {
  if (id == kNoValue || value(id).producer == kNoNode) return nullptr;
  return &node(value(id).producer);
}

std::vector<ValueId> Graph::captured_by(const Node& node) const {
  std::vector<ValueId> found;
  for (const Attribute& attribute : node.attributes) {
    const auto* subgraph = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
    if (!subgraph) continue;
    for (const ValueId inner : (*subgraph)->captured()) {
      const ValueId own = find_value((*subgraph)->value(inner).name);
      if (std::ranges::find(found, own) == found.end()) found.push_back(own);
    }
  }
  return found;
}

int64_t Graph::opset(std::string_view domain) const {
  const auto found = opsets_.find(domain == "ai.onnx" ? std::string_view() : domain);
  return found == opsets_.end() ? 0 : found->second;
}

}  // namespace detent
