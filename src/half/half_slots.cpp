#include "half/half_slots.h"

#include <algorithm>

#include "ops/operator_types.h"

namespace detent {

namespace {

const TypeSignature* signature_of_node(const Graph& graph, const Node& node) {
  return node.domain.empty() ? find_type_signature(node.op_type, graph.opset()) : nullptr;
}

const TypeSet& types_at(const TypeSignature& signature, int variable) {
  return signature.variables[static_cast<size_t>(variable)].types;
}

/// True for an operator whose type attribute is changed with the node's type.
bool is_retyped(const Node& node) { return node.op_type == "Cast" || node.op_type == "ConstantOfShape"; }

}  // namespace

bool names_its_type(const Graph& graph, const Node& node) {
  const TypeSignature* signature = signature_of_node(graph, node);
  if (!signature) return false;
  if (!signature->outputs.front().attribute.empty() && !is_retyped(node)) return true;
  return std::ranges::any_of(signature->variables, [](const TypeSignature::Variable& variable) {
    return variable.types.only() == DataType::Sequence;
  });
}

bool computes_in(const Graph& graph, const Node& node, DataType type) {
  const TypeSignature* signature = signature_of_node(graph, node);
  if (!signature) return false;
  const TypeSet& made = types_at(*signature, signature->outputs.front().variable);
  if (made.contains(DataType::Float32)) return made.contains(type);
  return !signature->inputs.empty() && types_at(*signature, signature->inputs.front()).contains(type);
}

bool input_follows(const Graph& graph, const Node& node, size_t slot, DataType type) {
  const TypeSignature* signature = signature_of_node(graph, node);
  const int variable = signature ? signature->input(slot) : -1;
  // Resize takes a region of interest in 16 bits, but engines read it as FP32.
  return variable >= 0 && types_at(*signature, variable).contains(type) && !(node.op_type == "Resize" && slot == 1);
}

bool output_follows(const Graph& graph, const Node& node, size_t slot, DataType type) {
  const TypeSignature* signature = signature_of_node(graph, node);
  const TypeSignature::Output* output = signature ? signature->output(slot) : nullptr;
  return output && (output->attribute.empty() || is_retyped(node)) &&
         types_at(*signature, output->variable).contains(type);
}

}  // namespace detent
