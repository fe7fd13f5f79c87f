#include "repair/signs.h"

#include <algorithm>
#include <limits>

#include "ops/clip_bounds.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Says whether the output of an operator is never negative.
enum class Sign : uint8_t {
  Unknown,
  Positive,  ///< always
  AsFirst,   ///< where its first input is
  AsAll,     ///< where all its inputs are
};

Sign sign_of(const Graph& graph, const Node& node) {
  const OpTraits& traits = traits_of(graph, node);
  switch (traits.kind) {
    case OpKind::Relu:
    case OpKind::Sigmoid:
    case OpKind::HardSigmoid:
    case OpKind::Softmax:
    case OpKind::Abs:
    case OpKind::Sqrt: return Sign::Positive;
    case OpKind::Clip: {
      const auto bounds = clip_bounds(graph, node);
      if (!bounds || bounds->high() < 0) return Sign::Unknown;
      return bounds->low() >= 0 ? Sign::Positive : Sign::AsFirst;
    }
    case OpKind::Pad: return number_of_pad(graph, node) >= 0 ? Sign::AsFirst : Sign::Unknown;
    case OpKind::Concat:
    case OpKind::Add:
    case OpKind::Mul: return Sign::AsAll;
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::ReduceMean:
    case OpKind::ReduceSum: return Sign::AsFirst;
    case OpKind::Resize: {
      const bool below = node.string_or("mode", "nearest") == "cubic" || node.float_or("extrapolation_value", 0) < 0;
      return below ? Sign::Unknown : Sign::AsFirst;
    }
    default: return keeps_elements(traits) ? Sign::AsFirst : Sign::Unknown;
  }
}

}  // namespace

float number_of_pad(const Graph& graph, const Node& pad) {
  if (pad.string_or("mode", "constant") != "constant") return 0;
  if (!pad.input(2)) return pad.float_or("value", 0);
  const Tensor* number = graph.constant(pad.input(2));
  if (!number || number->element_count() != 1) return std::numeric_limits<float>::quiet_NaN();
  return cast(*number, DataType::Float32).data<float>()[0];
}

bool cuts_below_zero(const Graph& graph, const Node& node) {
  const OpKind kind = traits_of(graph, node).kind;
  return kind == OpKind::Relu || (kind == OpKind::Clip && sign_of(graph, node) == Sign::Positive);
}

ValueMap<bool> never_negative(const Graph& graph, const std::function<bool(const Value&)>& cut) {
  ValueMap<bool> positive(graph.values().size(), false);
  const auto is_cut = [&](ValueId value) { return cut && cut(graph.value(value)); };
  for (const ValueId input : graph.inputs()) positive[input] = is_cut(input);
  for (const Node& node : graph.nodes()) {
    const auto is_positive = [&](MaybeValue value) { return !value || positive[*value]; };
    const Sign sign = sign_of(graph, node);
    const bool keeps = (sign == Sign::AsFirst && is_positive(node.input(0))) ||
                       (sign == Sign::AsAll && std::ranges::all_of(present(node.inputs), is_positive));
    for (const ValueId output : present(node.outputs))
      positive[output] = sign == Sign::Positive || keeps || is_cut(output);
  }
  return positive;
}

}  // namespace detent
