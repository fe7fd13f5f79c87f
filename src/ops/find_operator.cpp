#include "ops/find_operator.h"

#include <unordered_map>

#include "model/graph/file_boundary.h"
#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/microsoft_signatures.h"
#include "ops/op_list.h"
#include "ops/signatures.h"

namespace detent {

namespace {

/// Operators that ONNX Runtime's optimizer writes at its highest level: NCHWc.
constexpr std::string_view kBlockedDomain = "com.microsoft.nchwc";

void copy_value(KernelCall& call) { call.set_output(0, call.input(0)); }

/// An operator that no rule knows: it has no kind, and no pair moves across it.
const OperatorDef& boundary_operator() {
  static const OperatorDef definition{.op_type = kBoundary,
                                      .traits = {.data_inputs = 1},
                                      .make = stateless<copy_value>,
                                      .layout = LayoutNeed::Any,
                                      .any_value = true};
  return definition;
}

using Index = std::unordered_multimap<std::string_view, const OperatorDef*>;

/// Returns the first definition of that name for which `fits` is true.
template <class Fits>
const OperatorDef* find_definition(std::string_view domain, std::string_view op_type, const Fits& fits) {
  static const Index index = [] {
    Index by_name;
    for (const OperatorDef& definition : operator_list()) by_name.emplace(definition.op_type, &definition);
    return by_name;
  }();
  if (domain == kBoundaryDomain)
    return op_type == kBoundary        ? &boundary_operator()
           : op_type == kFrameBoundary ? &frame_boundary_operator()
                                       : nullptr;
  if (domain == kMicrosoftDomain)
    return op_type == dynamic_lstm_operator().op_type ? &dynamic_lstm_operator() : nullptr;
  if (!domain.empty() && domain != "ai.onnx") return nullptr;  // the two spellings of the standard domain
  const auto [first, last] = index.equal_range(op_type);
  for (auto it = first; it != last; ++it)
    if (fits(*it->second)) return it->second;
  return nullptr;
}

/// Returns the element type that an output's attribute names and Detent does not compute with.
std::optional<Unsupported> refuse_named_type(const Graph& graph, const Node& node) {
  const Signature* signature = find_typed_signature(graph, node);
  if (!signature) return std::nullopt;
  for (const Parameter& output : signature->outputs) {
    const AttributeValue* given = output.attribute.empty() ? nullptr : node.find_attribute(output.attribute);
    const int64_t* code = given ? std::get_if<int64_t>(given) : nullptr;
    if (!code || data_type_from_onnx(*code) != DataType::Undefined) continue;
    const bool has_default = output.default_variable >= 0 || output.default_type != DataType::Undefined;
    if (*code == 0 && has_default) continue;
    return Unsupported{"element type " + std::to_string(*code) + " of ONNX (attribute " +
                       std::string(output.attribute) + "), which Detent does not compute with"};
  }
  return std::nullopt;
}

/// Returns why the node itself cannot run; nullopt when it can.
std::optional<Unsupported> refuse(const Graph& graph, const Node& node) {
  const int64_t opset = graph.opset(node.domain);
  const OperatorDef* definition = find_operator(node.domain, node.op_type, opset);
  if (!definition) {
    if (node.domain == kBlockedDomain)
      return Unsupported{"this operator has a CPU's blocked layout; write the optimized model at level extended"};
    if (node.domain == kMicrosoftDomain && find_microsoft_signature(node.op_type))
      return Unsupported{"this form of the operator is not supported; `detent inspect` tells the reason"};
    return Unsupported{find_at_any_opset(node.domain, node.op_type)
                           ? "this operator is not supported at opset " + std::to_string(opset)
                           : "this operator is not supported"};
  }
  std::optional<Unsupported> refused = refuse_named_type(graph, node);
  if (!refused && definition->check) refused = definition->check(KernelContext{graph, node, opset});
  return refused;
}

}  // namespace

const OperatorDef* find_operator(std::string_view domain, std::string_view op_type, int64_t opset) {
  return find_definition(domain, op_type, [&](const OperatorDef& definition) {
    return opset >= definition.first_opset && opset <= definition.last_opset;
  });
}

const OperatorDef* find_at_any_opset(std::string_view domain, std::string_view op_type) {
  return find_definition(domain, op_type, [](const OperatorDef&) { return true; });
}

std::vector<UnsupportedNode> find_unsupported(const Graph& graph, std::span<const NodeId> nodes) {
  std::vector<UnsupportedNode> found;
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (auto refused = refuse(graph, node)) found.push_back({id, std::move(refused->reason)});
    if (!find_operator(node.domain, node.op_type, graph.opset(node.domain))) continue;
    for (const Attribute& attribute : node.attributes) {
      const auto* held = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
      if (!held) continue;
      std::vector<NodeId> inner;
      for (const Node& one : (*held)->nodes()) inner.push_back(one.id);
      for (const UnsupportedNode& item : find_unsupported(**held, inner)) {
        const Node& culprit = (*held)->node(item.node);
        found.push_back({id, "in its " + attribute.name + ", node '" + culprit.name + "' (" + culprit.op_type +
                                 "): " + item.reason});
      }
    }
  }
  return found;
}

}  // namespace detent
