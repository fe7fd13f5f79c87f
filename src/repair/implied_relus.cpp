#include "repair/implied_relus.h"

#include <algorithm>
#include <ranges>

#include "ops/traits.h"
#include "repair/signs.h"

namespace detent {

namespace {

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
  const ValueMap<bool> cut_later = cut_by_readers(graph);
  std::set<std::string> cut;
  static_cast<void>(never_negative(graph, [&](const Value& value) {
    const auto grid = grids.find(value.name);
    if (grid == grids.end() || value.is_constant || cut_later[value.id] || !cuts_at_zero(*grid->second)) return false;
    return cut.insert(grid->first), true;
  }));
  return cut;
}

}  // namespace detent
