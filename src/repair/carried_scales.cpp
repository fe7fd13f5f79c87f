#include "repair/carried_scales.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "core/index.h"
#include "core/small_float.h"
#include "ops/traits.h"

namespace detent {

namespace {

bool is_unsigned(const QdqNode& grid) { return grid.codes == DataType::UInt8; }
int64_t zero_point_of(const QdqNode& grid) { return grid.zero_points.empty() ? 0 : grid.zero_points.front(); }

/// True for a node whose output holds numbers of its first input, none changed; a Relu changes negative ones to 0.
bool keeps_numbers(const Graph& graph, const Node& node) {
  const OpTraits& traits = traits_of(graph, node);
  return keeps_elements(traits) || traits.kind == OpKind::Relu;
}

/// Returns the values that hold the same numbers, the nearest first.
std::vector<ValueId> values_like(const Graph& graph, ValueId value) {
  std::vector<ValueId> found;
  std::set<ValueId> seen{value};
  std::deque<ValueId> open{value};
  const auto visit = [&](MaybeValue next) {
    if (next && seen.insert(*next).second) found.push_back(*next), open.push_back(*next);
  };
  for (; !open.empty(); open.pop_front()) {
    const ValueId at = open.front();
    if (const Node* producer = graph.producer(at); producer && keeps_numbers(graph, *producer))
      visit(producer->input(0));
    for (const Use& use : graph.value(at).uses) {
      if (use.slot != 0) continue;
      const Node& reader = graph.node(use.node);
      // A Relu passes on nothing that another reader takes below 0.
      const bool relu = traits_of(graph, reader).kind == OpKind::Relu;
      if (keeps_numbers(graph, reader) && (!relu || graph.value(at).uses.size() == 1)) visit(reader.output(0));
    }
  }
  return found;
}

/// True for what a Relu writes, also behind copies and MaxPool.
bool is_positive(const Graph& graph, ValueId value) {
  const Node* producer = graph.producer(value);
  while (producer && traits_of(graph, *producer).kind != OpKind::Relu)
    producer = keeps_numbers(graph, *producer) ? graph.producer(producer->input(0)) : nullptr;
  return producer != nullptr;
}

/// Returns range_of() for a value of the graph. The output of a Relu has no numbers below 0. It takes UINT8 codes from
/// 0 up with the same scale: the numbers that symmetric codes had room for are among them, and ONNX Runtime absorbs the
/// Relu.
Range range_for(const Graph& graph, ValueId value, const QdqNode& grid, RangeKind kind) {
  const Range range = range_of(grid, kind);
  if (!is_asymmetric(kind) || !is_positive(graph, value)) return range;
  if (range.given_scale <= 0 && grid.clipped) return {0, range.max};
  if (range.given_zero_point != 128) return range;
  return {0, static_cast<float>(255.0 * range.given_scale), range.given_scale, 0};
}

/// Cuts a range to what a Clip passes on, because ONNX Runtime absorbs a Clip only behind codes of no other values.
Range within_limits(const Range& range, const PlacementPlan& plan, ValueId value, RangeKind kind) {
  const auto limit = std::ranges::find(plan.range_limits, value, &FixedRange::value);
  if (!is_asymmetric(kind) || limit == plan.range_limits.end()) return range;
  const Range cut{std::max(range.min, limit->range.min), std::min(range.max, limit->range.max)};
  return cut.min == range.min && cut.max == range.max ? range : cut;
}

std::vector<float> channel_maxima(const Tensor& weight, int axis) {
  const Tensor numbers = cast(weight, DataType::Float32);
  const auto data = numbers.data<float>();
  const size_t channels = axis < 0 ? 1 : as_index(weight.shape()[as_index(axis)]);
  size_t inner = 1;
  if (axis >= 0)
    for (size_t i = as_index(axis) + 1; i < weight.shape().rank(); ++i) inner *= as_index(weight.shape()[i]);
  std::vector<float> maxima(channels, 0);
  for (size_t i = 0; i < data.size(); ++i) {
    float& most = maxima[axis < 0 ? 0 : i / inner % channels];
    most = std::max(most, std::abs(data[i]));
  }
  return maxima;
}

/// Returns why a grid cannot be that of weights of the type; "" where it can.
std::string obstacle_of(const QdqNode& grid, DataType type) {
  const bool fits = type == DataType::Int8 ? grid.codes == DataType::Int8 || is_unsigned(grid) : grid.codes == type;
  if (!fits) return "its codes are of another type";
  if (grid.scales.empty()) return "its scale is computed from the data";
  const int64_t middle = is_unsigned(grid) ? 128 : 0;
  if (std::ranges::any_of(grid.zero_points, [&](int64_t point) { return point != middle; }) ||
      (middle > 0 && grid.zero_points.empty()))
    return "its zero point is not the middle of its codes";
  return {};
}

/// Returns the scales of one weight; nullopt, with the reason, where its codes cannot stay.
std::optional<std::vector<float>> weight_scales(const Tensor& before, const Tensor& after, const QdqNode& grid,
                                                int axis, const WeightForm& form, std::string& reason) {
  if (reason = obstacle_of(grid, form.type); !reason.empty()) return std::nullopt;
  if (!(before.shape() == after.shape())) return reason = "its shape changed", std::nullopt;
  const size_t channels = axis < 0 ? 1 : as_index(after.shape()[as_index(axis)]);
  if (grid.scales.size() != channels && grid.scales.size() != 1)
    return reason = "its scales stand along another axis", std::nullopt;
  std::vector<float> scales(channels);
  for (size_t c = 0; c < channels; ++c) scales[c] = grid.scales[grid.scales.size() == 1 ? 0 : c];
  const std::vector<float> was = channel_maxima(before, axis), is = channel_maxima(after, axis);
  for (size_t c = 0; c < channels; ++c) {
    if (form.narrow && form.type == DataType::Int8 && was[c] > 127.5F * scales[c])
      return reason = "its code -128 is none of the target's", std::nullopt;
    if (was[c] > 0 && is[c] > 0) scales[c] = static_cast<float>(double{scales[c]} * is[c] / was[c]);
  }
  return scales;
}

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

std::map<ValueId, CarriedRange> carry_ranges(const Graph& graph, const PlacementPlan& plan, const TrainedPairs& trained,
                                             RangeKind kind) {
  std::map<ValueId, CarriedRange> carried;
  for (const ValueId value : plan.quantized_values()) {
    const std::string& name = graph.value(value).name;
    if (const auto own = trained.values.find(name); own != trained.values.end()) {
      const Range range = within_limits(range_for(graph, value, *own->second, kind), plan, value, kind);
      carried[value] = {range, range.given_scale > 0 ? CarriedRange::Origin::Kept : CarriedRange::Origin::Fitted, name};
      continue;
    }
    for (const ValueId like : values_like(graph, value)) {
      const auto found = trained.values.find(graph.value(like).name);
      if (found == trained.values.end()) continue;
      carried[value] = {within_limits(range_for(graph, value, *found->second, kind), plan, value, kind),
                        CarriedRange::Origin::Moved, found->first};
      break;
    }
  }
  return carried;
}

CarriedWeights carry_weights(const Graph& graph, const PlacementPlan& plan, const TrainedPairs& trained,
                             const WeightForm& form) {
  CarriedWeights carried;
  const Graph& before = trained.model.graph();
  for (const WeightDecision& weight : plan.weights) {
    const std::string& node = graph.node(weight.node).name;
    const auto grid = trained.weights.find({node, weight.slot});
    const MaybeNode same = before.find_node(node);
    const Tensor* was = same ? before.constant(before.node(*same).input(weight.slot)) : nullptr;
    const Tensor* is = graph.constant(weight.value);
    std::string reason = "the file has no pair on it";
    std::optional<std::vector<float>> scales;
    if (grid != trained.weights.end() && was && is)
      scales = weight_scales(*was, *is, *grid->second, form.per_tensor ? -1 : weight.axis, form, reason);
    if (!scales) {
      carried.anew.push_back(node + ": " + reason);
      continue;
    }
    ++carried.kept;
    carried.scales[graph.value(weight.value).name] = std::move(*scales);
  }
  return carried;
}

}  // namespace detent
