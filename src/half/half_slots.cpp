#include "half/half_slots.h"

#include <algorithm>

#include "ops/signatures.h"

namespace detent {

namespace {

const TypeSet& types_at(const Signature& signature, const Parameter& parameter) {
  return signature.variables[static_cast<size_t>(parameter.variable)].types;
}

/// True for an operator whose type attribute is changed with the node's type.
bool is_retyped(const Node& node) {
  return node.op_type == "Cast" || node.op_type == "ConstantOfShape" || node.op_type == "DequantizeLinear";
}

}  // namespace

bool names_its_type(const Graph& graph, const Node& node) {
  const Signature* signature = find_typed_signature(graph, node);
  if (!signature) return false;
  if (!signature->outputs.front().attribute.empty() && !is_retyped(node)) return true;
  return std::ranges::any_of(signature->variables,
                             [](const TypeVariable& variable) { return variable.types.only() == DataType::Sequence; });
}

bool computes_in(const Graph& graph, const Node& node, DataType type) {
  const Signature* signature = find_typed_signature(graph, node);
  if (!signature) return false;
  const TypeSet& made = types_at(*signature, signature->outputs.front());
  if (made.contains(DataType::Float32)) return made.contains(type);
  return !signature->inputs.empty() && types_at(*signature, signature->inputs.front()).contains(type);
}

bool input_follows(const Graph& graph, const Node& node, size_t slot, DataType type) {
  const Signature* signature = find_typed_signature(graph, node);
  const Parameter* input = signature ? signature->input(slot) : nullptr;
  // Resize takes a region of interest in 16 bits, but engines read it as FP32.
  return input && types_at(*signature, *input).contains(type) && !(node.op_type == "Resize" && slot == 1);
}

bool output_follows(const Graph& graph, const Node& node, size_t slot, DataType type) {
  const Signature* signature = find_typed_signature(graph, node);
  const Parameter* output = signature ? signature->output(slot) : nullptr;
  return output && (output->attribute.empty() || is_retyped(node)) && types_at(*signature, *output).contains(type);
}

}  // namespace detent
