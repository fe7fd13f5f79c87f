#include "repair/implied_relus.h"

#include <algorithm>
#include <ranges>

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

/// True for an operator that makes 0 of every number below 0.
bool cuts_below_zero(const Graph& graph, const Node& node) {
  const OpKind kind = traits_of(graph, node).kind;
  return kind == OpKind::Relu || (kind == OpKind::Clip && sign_of(graph, node) == Sign::Positive);
}

/// Returns the values whose readers see none of their numbers below 0: each cuts them off, or a reader behind copies.
ValueMap<bool> cut_by_readers(const Graph& graph) {
  ValueMap<bool> cut(graph.values().size(), false);
  const auto is_cut = [&](const Value& value) {
    return !value.is_output && !value.uses.empty() && std::ranges::all_of(value.uses, [&](const Use& use) {
      if (use.slot != 0) return false;
      const Node& reader = graph.node(use.node);
      const OpTraits& traits = traits_of(graph, reader);
      return traits.kind == OpKind::ShapeOf || cuts_below_zero(graph, reader) ||
             (keeps_elements(traits) && std::ranges::all_of(present(reader.outputs), [&](ValueId copy) {
                return cut[copy] || (graph.value(copy).uses.empty() && !graph.value(copy).is_output);
              }));
    });
  };
  for (const Node& node : graph.nodes() | std::views::reverse)
    for (const ValueId output : present(node.outputs)) cut[output] = is_cut(graph.value(output));
  for (const ValueId input : graph.inputs()) cut[input] = is_cut(graph.value(input));
  return cut;
}

bool cuts_at_zero(const QdqNode& grid) {
  if (grid.scales.size() != 1) return false;
  const int64_t point = grid.zero_points.empty() ? 0 : grid.zero_points.front();
  return point == (grid.clipped ? grid.clipped->lowest : grid.codes == DataType::UInt8 ? 0 : -128);
}

}  // namespace

std::set<std::string> values_cut_at_zero(const Graph& graph, const std::map<std::string, const QdqNode*>& grids) {
  ValueMap<bool> positive(graph.values().size(), false);
  const ValueMap<bool> cut_later = cut_by_readers(graph);
  std::set<std::string> cut;
  const auto visit = [&](ValueId value) {
    const auto grid = grids.find(graph.value(value).name);
    if (grid == grids.end() || graph.value(value).is_constant || positive[value] || cut_later[value] ||
        !cuts_at_zero(*grid->second))
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
