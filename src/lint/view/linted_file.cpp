#include "lint/view/linted_file.h"

#include <algorithm>

#include "core/float_type.h"
#include "ops/traits.h"
#include "ops/value_types.h"

namespace detent {

namespace {

DataType float_or_undefined(DataType type) { return is_floating_point(type) ? type : DataType::Undefined; }

ValueMap<DataType> float_types_of(const Graph& graph) {
  ValueMap<DataType> types = value_types(graph);
  std::ranges::transform(types, types.begin(), float_or_undefined);
  return types;
}

}  // namespace

LintedFile::LintedFile(const Graph& file) : graph(file), types(float_types_of(file)) {}

bool LintedFile::holds_half() const {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    const OpKind kind = traits_of(graph, node).kind;
    if (kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear) return false;
    return std::ranges::any_of(present(node.outputs), [&](ValueId output) { return is_half(type_of(output)); });
  });
}

std::string_view short_name(DataType type) {
  if (type == DataType::Float16) return "FP16";
  if (type == DataType::BFloat16) return "BF16";
  return type == DataType::Float32 ? "FP32" : name_of(type);
}

}  // namespace detent
