#include "rewrite/weight_bytes.h"

#include <set>

#include "core/float_type.h"
#include "core/packed_elements.h"

namespace detent {

namespace {

std::string type_of_codes(DataType type) {
  switch (type) {
    case DataType::Int8:
    case DataType::UInt8: return "int8";
    case DataType::Int4:
    case DataType::UInt4: return "int4";
    case DataType::Float8E4M3FN: return "fp8";
    default: return std::string(name_of(type));
  }
}

/// Returns the table whose rows a Gather takes, else the value.
MaybeValue ungathered(const Graph& graph, MaybeValue value) {
  const Node* node = graph.producer(value);
  return node && node->op_type == "Gather" && node->domain.empty() ? node->input(0) : value;
}

}  // namespace

std::map<std::string, uint64_t> weight_bytes_by_type(const Graph& graph) {
  std::map<std::string, uint64_t> bytes;
  std::set<ValueId> counted;  // constants may be shared
  const auto add = [&](const std::string& type, MaybeValue value) {
    const Tensor* tensor = graph.constant(value);
    if (!tensor || !counted.insert(*value).second) return;
    if (const uint64_t stored = stored_bytes(tensor->type(), tensor->element_count())) bytes[type] += stored;
  };
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "DequantizeLinear") continue;
    const MaybeValue source = ungathered(graph, node.input(0));
    const Tensor* codes = graph.constant(source);
    if (!codes) continue;
    const std::string type = type_of_codes(codes->type());
    add(type, source);
    for (size_t slot = 1; slot < node.inputs.size(); ++slot) add(type, node.input(slot));
  }
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "MatMulInteger") continue;
    for (const size_t slot : {size_t{1}, size_t{3}})
      if (const Tensor* codes = graph.constant(node.input(slot))) add(type_of_codes(codes->type()), node.input(slot));
  }
  for (const Node& node : graph.nodes())
    if (node.op_type == "DequantizeLinear" || node.op_type == "QuantizeLinear")
      for (size_t slot = 1; slot < node.inputs.size(); ++slot)
        if (node.input(slot)) counted.insert(*node.input(slot));
  for (const Value& value : graph.values())
    if (const Tensor* tensor = graph.constant(value.id); tensor && is_floating_point(tensor->type()))
      add("float", value.id);
  return bytes;
}

}  // namespace detent
