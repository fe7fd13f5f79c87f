#include "repair/implied_relus.h"

#include <algorithm>

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
      return bounds && bounds->low() >= 0 ? Sign::Positive : Sign::AsFirst;
    }
    case OpKind::Concat:
    case OpKind::Add:
    case OpKind::Mul: return Sign::AsAll;
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::ReduceMean:
    case OpKind::ReduceSum:
    case OpKind::Resize: return Sign::AsFirst;
    default: return keeps_elements(traits) ? Sign::AsFirst : Sign::Unknown;
  }
}

bool cuts_at_zero(const QdqNode& grid) {
  if (grid.scales.size() != 1) return false;
  const int64_t point = grid.zero_points.empty() ? 0 : grid.zero_points.front();
  return point == (grid.clipped ? grid.clipped->lowest : grid.codes == DataType::UInt8 ? 0 : -128);
}

}  // namespace

std::set<std::string> values_cut_at_zero(const Graph& graph, const std::map<std::string, const QdqNode*>& grids) {
  ValueMap<bool> positive(graph.values().size(), false);
  std::set<std::string> cut;
  const auto visit = [&](ValueId value) {
    const auto grid = grids.find(graph.value(value).name);
    if (grid == grids.end() || graph.value(value).is_constant || positive[value] || !cuts_at_zero(*grid->second))
      return;
    cut.insert(grid->first);
    positive[value] = true;  // for its readers, which read the pair
  };
  for (const ValueId input : graph.inputs()) visit(input);
  for (const Node& node : graph.nodes()) {
    const auto is_positive = [&](MaybeValue value) { return !value || positive[*value]; };
    const Sign sign = sign_of(graph, node);
    for (const ValueId output : present(node.outputs)) {
      positive[output] = sign == Sign::Positive || (sign == Sign::AsFirst && is_positive(node.input(0))) ||
                         (sign == Sign::AsAll && std::ranges::all_of(present(node.inputs), is_positive));
      visit(output);
    }
  }
  return cut;
}

}  // namespace detent
