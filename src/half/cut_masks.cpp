#include "half/cut_masks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "ops/traits.h"

namespace detent {

namespace {

bool passes_on(const Graph& graph, const Node& node, int slot) {
  switch (traits_of(graph, node).kind) {
    case OpKind::Add:
    case OpKind::Mul:
    case OpKind::Concat:
    case OpKind::Cast: return true;
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::Split:
    case OpKind::Expand:
    case OpKind::Tile: return slot == 0;
    default: return node.domain.empty() && node.op_type == "Where" && slot > 0;
  }
}

/// The values on the paths from a value to Softmax; empty when a path ends elsewhere.
std::set<ValueId> way_to_softmax(const Graph& graph, ValueId from) {
  std::vector<ValueId> open{from};
  std::set<ValueId> seen{from};
  while (!open.empty()) {
    const Value& value = graph.value(open.back());
    open.pop_back();
    if (value.is_output || value.uses.empty()) return {};
    for (const Use& use : value.uses) {
      if (use.slot < 0) return {};
      const Node& node = graph.node(use.node);
      if (node.domain.empty() && node.op_type == "Softmax") continue;
      if (!passes_on(graph, node, use.slot)) return {};
      for (const ValueId output : present(node.outputs))
        if (seen.insert(output).second) open.push_back(output);
    }
  }
  return seen;
}

bool is_mask(float number, const FloatFormat& format) {
  return std::isfinite(number) && number < 0 && std::abs(number) * kHeadroom > format.largest;
}

/// Returns the reach of a value once its masks are cut; nullopt when other elements exceed the type's range.
/// least  the smallest |mask|
std::optional<ValueReach> with_cut_masks(ValueReach reach, double least, const FloatFormat& format) {
  const double limit = format.largest / kHeadroom;
  if (reach.largest > limit) return std::nullopt;
  double rest = 0;  // bound of all other elements
  for (int e = ValueReach::kLowest; e <= ValueReach::kHighest; ++e) {
    uint64_t& count = reach.counts[static_cast<size_t>(e - ValueReach::kLowest)];
    if (count == 0) continue;
    if (std::ldexp(1.0, e) > least / 2)
      count = 0;
    else
      rest = std::ldexp(1.0, e);
  }
  rest = std::min(rest, reach.amax);
  if (rest > limit) return std::nullopt;
  reach.amax = std::min(reach.amax, rest - cut_mask(format));
  reach.mean_abs = std::min(reach.mean_abs, reach.amax);
  return reach;
}

/// Cuts the masks of the values on the way. Returns false, and leaves `reaches` unchanged, when they cannot be cut.
bool cut_on_the_way(const std::set<ValueId>& way, double least, const FloatFormat& format, ValueReaches& reaches) {
  std::vector<std::pair<ValueId, ValueReach>> changed;
  for (const ValueId id : way) {
    const auto found = reaches.find(id);
    if (found == reaches.end()) continue;
    std::optional<ValueReach> reach = with_cut_masks(found->second, least, format);
    if (!reach) return false;
    changed.emplace_back(id, std::move(*reach));
  }
  for (auto& [id, reach] : changed) reaches[id] = std::move(reach);
  return true;
}

}  // namespace

double cut_mask(const FloatFormat& format) { return -format.largest / (2 * kHeadroom); }

CutMasks cut_masks(const Graph& graph, const FloatFormat& format, const ValueReaches& reaches) {
  CutMasks result{.patch = {}, .constants = {}, .reaches = reaches};
  result.patch.reason = "cut the masks of Softmax";
  const auto beyond = [&](float number) { return is_mask(number, format); };
  for (const Value& value : graph.values()) {
    const Tensor* constant = graph.constant(value.id);
    if (!constant || constant->type() != DataType::Float32) continue;
    const auto numbers = constant->data<float>();
    double least = std::numeric_limits<double>::infinity();
    for (const float number : numbers)
      if (beyond(number)) least = std::min(least, -static_cast<double>(number));
    if (!std::isfinite(least)) continue;
    const std::set<ValueId> way = way_to_softmax(graph, value.id);
    if (way.empty() || !cut_on_the_way(way, least, format, result.reaches)) continue;
    std::vector<float> cut(numbers.begin(), numbers.end());
    std::ranges::replace_if(cut, beyond, static_cast<float>(cut_mask(format)));
    result.patch.replace_constants.emplace_back(value.name, Tensor::from<float>(constant->shape(), cut));
    result.constants.push_back(value.name);
  }
  return result;
}

}  // namespace detent
