#include "model/graph/float_types.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/float_type.h"
#include "model/graph/tensor_proto.h"

namespace detent {

namespace {

/// Make integers, truth values or shapes of floats. Source: ONNX docs/Operators.md.
constexpr std::array<std::string_view, 19> kNoFloats{"Shape",
                                                     "Size",
                                                     "ArgMax",
                                                     "ArgMin",
                                                     "NonZero",
                                                     "Equal",
                                                     "Greater",
                                                     "Less",
                                                     "Not",
                                                     "GreaterOrEqual",
                                                     "LessOrEqual",
                                                     "IsNaN",
                                                     "IsInf",
                                                     "And",
                                                     "Or",
                                                     "Xor",
                                                     "QuantizeLinear",
                                                     "Multinomial",
                                                     "NonMaxSuppression"};
/// Their further outputs are indices or masks.
constexpr std::array<std::string_view, 4> kOneFloat{"TopK", "MaxPool", "Unique", "Dropout"};

bool makes_float(const Node& node, size_t slot) {
  const auto among = [&](const auto& list) { return std::ranges::count(list, std::string_view(node.op_type)) > 0; };
  return !among(kNoFloats) && (slot == 0 || !among(kOneFloat));
}

}  // namespace

std::vector<DataType> float_types(const Graph& graph) {
  std::vector<DataType> types;
  for (const Value& value : graph.values()) types.push_back(value.declared_type.value_or(DataType::Undefined));
  const auto at = [&](ValueId id) -> DataType& { return types[static_cast<size_t>(id)]; };
  for (const Node& node : graph.nodes()) {
    DataType type = DataType::Undefined;
    for (const char* attribute : {"to", "dtype"})
      if (node.has(attribute)) type = data_type_from_onnx(node.int_or(attribute, 0));
    for (const ValueId input : node.inputs)
      if (type == DataType::Undefined && input != kNoValue && is_floating_point(at(input))) type = at(input);
    for (size_t slot = 0; slot < node.outputs.size(); ++slot)
      if (const ValueId output = node.outputs[slot];
          output != kNoValue && at(output) == DataType::Undefined && makes_float(node, slot))
        at(output) = type;
  }
  for (DataType& type : types)
    if (!is_floating_point(type)) type = DataType::Float32;
  return types;
}

bool holds_half_values(const Graph& graph) { return std::ranges::count(float_types(graph), DataType::Float16) > 0; }

}  // namespace detent
