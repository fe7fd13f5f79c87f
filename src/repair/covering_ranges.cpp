#include "repair/covering_ranges.h"

#include <algorithm>
#include <ranges>

#include "core/small_float.h"
#include "ops/traits.h"
#include "repair/signs.h"

namespace detent {

namespace {

bool is_unsigned(const QdqNode& grid) { return grid.codes == DataType::UInt8; }
int64_t zero_point_of(const QdqNode& grid) { return grid.zero_points.empty() ? 0 : grid.zero_points.front(); }

/// Returns range_of() for codes of 16 bits. Unsigned codes of 16 bits keep scale and zero point.
Range range_of_wide(const QdqNode& grid, RangeKind kind) {
  const CodeRange codes = grid.range();
  const double scale = grid.scales.front();
  const auto real = [&](int32_t code) {
    return static_cast<float>(static_cast<double>(code - zero_point_of(grid)) * scale);
  };
  const Range range{real(codes.lowest), real(codes.highest)};
  const bool same = !grid.clipped && grid.codes == DataType::UInt16 && kind == RangeKind::Asymmetric16;
  if (same) return {range.min, range.max, grid.scales.front(), static_cast<int32_t>(zero_point_of(grid))};
  if (is_asymmetric(kind)) return range;
  // Signed codes have one more below 0, which symmetric ranges do not use.
  const bool symmetric = zero_point_of(grid) == 0 && grid.codes == DataType::Int16 && !grid.clipped;
  const float amax = symmetric ? range.max : range.amax();
  return {-amax, amax};
}

/// True for a node whose output holds numbers of its data, none changed; a Relu changes negative ones to 0.
bool keeps_numbers(const Graph& graph, const Node& node) {
  const OpTraits& traits = traits_of(graph, node);
  return keeps_elements(traits) || traits.kind == OpKind::Relu || traits.kind == OpKind::Concat;
}

std::vector<MaybeValue> data_of(const Graph& graph, const Node& node) {
  return traits_of(graph, node).kind == OpKind::Concat ? node.inputs : std::vector<MaybeValue>{node.input(0)};
}

/// Finds covering ranges in one pass over the graph from its outputs up and one down.
class Covers {
 public:
  Covers(const Graph& graph, const std::map<std::string, const QdqNode*>& grids, RangeKind kind)
      : graph_(graph), grids_(grids), kind_(kind), positive_(never_negative(graph)), below_(graph.values().size()),
        found_(graph.values().size()) {}

  ValueMap<std::optional<CoveringRange>> run() {
    for (const Node& node : graph_.nodes() | std::views::reverse)
      for (const ValueId output : present(node.outputs)) below_[output] = find_below(graph_.value(output));
    for (const Value& value : graph_.values())
      if (!value.producer) found_[value.id] = below_[value.id] = find_below(value);
    for (const Node& node : graph_.nodes())
      for (const ValueId output : present(node.outputs)) found_[output] = nearest(above(node), below_[output]);
    for (const Value& value : graph_.values()) {
      if (!found_[value.id]) continue;
      found_[value.id]->written = found_[value.id]->range;
      if (positive_[value.id]) take_positive_codes(found_[value.id]->range);
    }
    return std::move(found_);
  }

 private:
  using Cover = std::optional<CoveringRange>;

  [[nodiscard]] OpKind kind(const Node& node) const { return traits_of(graph_, node).kind; }
  [[nodiscard]] bool keeps_numbers(const Node& node) const { return detent::keeps_numbers(graph_, node); }
  [[nodiscard]] bool is_data(const Use& use) const {
    return use.slot == 0 || (use.slot > 0 && kind(graph_.node(use.node)) == OpKind::Concat);
  }
  /// True for a node that passes on every number of the value, or the largest ones where none is negative.
  [[nodiscard]] bool keeps_all(const Node& node, ValueId value) const {
    switch (kind(node)) {
      case OpKind::Reshape:
      case OpKind::Transpose:
      case OpKind::DepthToSpace:
      case OpKind::SpaceToDepth:
      case OpKind::Expand:
      case OpKind::Tile:
      case OpKind::Pad:
      case OpKind::Concat: return true;
      case OpKind::MaxPool: return positive_[value];
      default: return false;
    }
  }

  [[nodiscard]] static Cover nearest(const Cover& a, const Cover& b) {
    return !b || (a && a->steps <= b->steps) ? a : b;
  }

  /// Joins ranges of which each covers a part.
  [[nodiscard]] static Cover both(const Cover& a, const Cover& b) {
    const Range range = joined(a->range, b->range);
    return CoveringRange{range,
                         {},
                         range == a->range ? a->from : b->from,
                         std::max(a->steps, b->steps),
                         a->behind_relu || b->behind_relu};
  }

  [[nodiscard]] static Cover one_step_on(Cover cover) {
    if (cover) ++cover->steps;
    return cover;
  }

  [[nodiscard]] Cover find_below(const Value& value) const {
    if (const auto own = grids_.find(value.name); own != grids_.end())
      return CoveringRange{range_of(*own->second, kind_), {}, value.name, 0};
    Cover found;
    for (const Use& use : value.uses) {
      if (!is_data(use) || !keeps_all(graph_.node(use.node), value.id)) continue;
      const Cover& copy = below_[*graph_.node(use.node).output(0)];
      if (copy && !copy->behind_relu) found = nearest(found, copy);
    }
    return one_step_on(found ? found : below_all_readers(value));
  }

  /// Returns the range that covers what all readers pass on; none where one of them is no copy.
  [[nodiscard]] Cover below_all_readers(const Value& value) const {
    Cover all;
    if (value.is_output) return {};
    for (const Use& use : value.uses) {
      if (use.slot >= 0 && kind(graph_.node(use.node)) == OpKind::ShapeOf) continue;
      if (!is_data(use) || !keeps_numbers(graph_.node(use.node))) return {};
      for (const ValueId output : present(graph_.node(use.node).outputs)) {
        const Value& part = graph_.value(output);
        if (part.uses.empty() && !part.is_output) continue;
        if (!below_[output]) return {};
        all = all ? both(all, below_[output]) : below_[output];
        if (kind(graph_.node(use.node)) == OpKind::Relu) all->behind_relu = true;
      }
    }
    return all;
  }

  [[nodiscard]] Cover above(const Node& node) const {
    Cover all;
    if (!keeps_numbers(node)) return {};
    // A range has a place for 0, and says nothing of another number that a Pad brings in.
    if (kind(node) == OpKind::Pad && number_of_pad(graph_, node) != 0) return {};
    for (const MaybeValue input : data_of(graph_, node)) {
      if (!input || !found_[*input]) return {};
      all = all ? both(all, found_[*input]) : found_[*input];
    }
    return one_step_on(all);
  }

  /// Cuts the range of a value that is never negative. It takes UINT8 codes from 0 up with the same scale: the numbers
  /// that codes around another zero point had room for are among them, and ONNX Runtime absorbs the Relu.
  void take_positive_codes(Range& range) const {
    if (!is_asymmetric(kind_)) return;
    if (range.given_scale <= 0)
      range = {0, range.max};
    else if (range.given_zero_point > 0 && kind_ != RangeKind::Asymmetric16)
      range = {0, static_cast<float>(255.0 * range.given_scale), range.given_scale, 0};
  }

  const Graph& graph_;
  const std::map<std::string, const QdqNode*>& grids_;
  const RangeKind kind_;
  ValueMap<bool> positive_;
  ValueMap<Cover> below_, found_;  // by the value's readers; by what makes it, too
};

}  // namespace

Range range_of(const QdqNode& grid, RangeKind kind) {
  const float scale = grid.scales.front();
  if (is_fp8(grid)) {
    const float amax = kLargestE4M3 * scale;
    return kind == RangeKind::Float8 ? Range{-amax, amax, scale, 0} : Range{-amax, amax};
  }
  if (is_wide(grid)) return range_of_wide(grid, kind);
  const bool middle = zero_point_of(grid) == (is_unsigned(grid) ? 128 : 0);
  const auto lowest = is_unsigned(grid) ? 0 : -128;
  // A Clip that takes the code beyond -127 alone away leaves the grid as it is.
  const bool narrow =
      grid.clipped && (grid.clipped->lowest > lowest + 1 || grid.clipped->highest < lowest + 255 || !middle);
  const CodeRange codes = narrow ? *grid.clipped : CodeRange{lowest, lowest + 255};
  const auto low = static_cast<double>(codes.lowest - zero_point_of(grid)) * scale;
  const auto high = static_cast<double>(codes.highest - zero_point_of(grid)) * scale;
  if (is_asymmetric(kind)) {
    if (narrow) return {static_cast<float>(low), static_cast<float>(high)};
    const auto point = static_cast<int32_t>(zero_point_of(grid) + (is_unsigned(grid) ? 0 : 128));
    return {static_cast<float>(low), static_cast<float>(high), scale, point};
  }
  // Symmetric codes keep the scale where a Clip leaves the largest of them.
  if (kind == RangeKind::Symmetric && middle && codes.highest == lowest + 255) {
    const auto amax = static_cast<float>(127.0 * scale);
    return {-amax, amax, scale};
  }
  const auto amax = static_cast<float>(std::max(-low, high));
  return {-amax, amax};
}

ValueMap<std::optional<CoveringRange>> covering_ranges(const Graph& graph,
                                                       const std::map<std::string, const QdqNode*>& grids,
                                                       RangeKind kind) {
  return Covers(graph, grids, kind).run();
}

}  // namespace detent
