// A QuantizeLinear takes the type in which its input is made, a DequantizeLinear that of the nodes that read its
// output. A Cast between a pair and its layer would end the integer kernel.

#include <algorithm>

#include "half/float_rules.h"
#include "ops/traits.h"

namespace detent::half {
namespace {

/// True when every node that reads the output stays FP32. A graph output is FP32.
bool is_read_in_float32(const FloatDraft& draft, const Value& value) {
  if (value.uses.empty() && !value.is_output) return false;
  return std::ranges::all_of(value.uses, [&](const Use& use) { return draft.is_kept(use.node); });
}

/// True when a graph input, a constant or a node in FP32 makes the value.
bool is_made_in_float32(const FloatDraft& draft, const Value& value) {
  return !value.producer || value.is_constant || draft.is_kept(*value.producer);
}

}  // namespace

void pairs(FloatDraft& draft) {
  const Graph& graph = draft.graph();
  for (const Node& node : graph.nodes())
    if (draft.kind(node) == OpKind::DequantizeLinear && is_read_in_float32(draft, graph.value(*node.output(0))))
      draft.keep({node.id, "pair", kNoValue, 0, "its readers are FP32"});
  for (const Node& node : graph.nodes())
    if (draft.kind(node) == OpKind::QuantizeLinear && is_made_in_float32(draft, graph.value(*node.input(0))))
      draft.keep({node.id, "pair", kNoValue, 0, "its input is FP32"});
}

}  // namespace detent::half
