#include "ops/mask_values.h"

#include <algorithm>
#include <array>

#include "core/float_type.h"
#include "ops/value_types.h"

namespace detent {

namespace {

constexpr std::array<std::string_view, 19> kCarriers{
    "Cast",  "Where", "Mul",    "Div",  "Add",       "Sub",     "Neg",     "Min",       "Max",     "Clip",
    "Slice", "Trilu", "Expand", "Tile", "Unsqueeze", "Squeeze", "Reshape", "Transpose", "Identity"};

}  // namespace

ValueMap<bool> mask_values(const Graph& graph) {
  const ValueMap<DataType> types = value_types(graph);
  ValueMap<bool> masks(graph.values().size(), false);
  const auto is_float = [&](ValueId value) { return is_floating_point(types[value]); };
  for (const ValueId input : graph.inputs())
    masks[input] = is_float(input) && graph.value(input).name.find("mask") != std::string::npos;
  for (const Node& node : graph.nodes()) {
    if (!node.domain.empty() || std::ranges::find(kCarriers, node.op_type) == kCarriers.end()) continue;
    const auto inputs = present(node.inputs);
    const bool varies = std::ranges::any_of(inputs, [&](ValueId value) { return !graph.value(value).is_constant; });
    const bool plain = std::ranges::all_of(
        inputs, [&](ValueId value) { return !is_float(value) || graph.value(value).is_constant || masks[value]; });
    if (!varies || !plain) continue;
    for (const ValueId output : present(node.outputs)) masks[output] = is_float(output);
  }
  return masks;
}

}  // namespace detent
