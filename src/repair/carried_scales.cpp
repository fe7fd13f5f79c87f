#include "repair/carried_scales.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/index.h"
#include "lint/reading/odd_pairs.h"
#include "repair/signs.h"
#include "repair/weights_on_grid.h"

namespace detent {

namespace {

/// Returns a range, cut to what a Clip or Softmax passes on, because ONNX Runtime absorbs a Clip only behind codes of
/// no other values. It ends where the pair of the file does, although codes from 0 up could reach further.
Range within_limits(const CoveringRange& cover, const std::optional<Range>& limit, RangeKind kind) {
  if (!is_asymmetric(kind) || !limit) return cover.range;
  const Range& written = cover.written;
  const Range cut{std::max(written.min, limit->min), std::min(written.max, limit->max)};
  return cut.min == written.min && cut.max == written.max ? cover.range : cut;
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

/// Returns the zero point of UINT8 codes with one scale; nullopt where it is their middle, and for other grids.
std::optional<int32_t> point_off_centre(const QdqNode& grid) {
  if (grid.codes != DataType::UInt8 || grid.scales.size() != 1 || grid.zero_points.size() > 1) return std::nullopt;
  const int64_t point = grid.zero_points.empty() ? 0 : grid.zero_points.front();
  return point == 128 ? std::nullopt : std::optional(static_cast<int32_t>(point));
}

/// True for INT8 codes of -127 to 128 steps, as Rockchip's compiler wants them: each is one below its number of steps.
bool is_below_middle(const QdqNode& grid) {
  return grid.codes == DataType::Int8 && !grid.zero_points.empty() &&
         std::ranges::all_of(grid.zero_points, [](int64_t point) { return point == -1; });
}

/// Returns why a grid cannot be that of weights of the type; "" where it can.
/// any_point  the weight may have a zero point
std::string obstacle_of(const QdqNode& grid, DataType type, bool any_point) {
  const bool is_unsigned = grid.codes == DataType::UInt8;
  const bool fits = type == DataType::Int8 ? grid.codes == DataType::Int8 || is_unsigned : grid.codes == type;
  if (!fits) return "its codes are of another type";
  if (grid.scales.empty()) return "its scale is computed from the data";
  if (any_point && point_off_centre(grid)) return {};
  const int64_t middle = is_unsigned ? 128 : is_below_middle(grid) ? -1 : 0;
  if (std::ranges::any_of(grid.zero_points, [&](int64_t point) { return point != middle; }) ||
      (middle > 0 && grid.zero_points.empty()))
    return "its zero point is not the middle of its codes";
  return {};
}

/// Returns the axis of a layer's weight along which the scales stand. ONNX assumes 1 where none is written.
int axis_of(const WeightGrid& trained, size_t rank) {
  const int64_t written = trained.grid->axis.value_or(1);
  const size_t axis = as_index(written < 0 ? written + as_extent(rank) : written);
  const auto found = std::ranges::find(trained.axes, axis);
  return static_cast<int>(found == trained.axes.end() ? as_extent(axis) : found - trained.axes.begin());
}

/// Returns the scales of one weight; nullopt where its codes cannot stay. The reason is empty where all codes stay.
std::optional<std::vector<float>> weight_scales(const Tensor& before, const Tensor& after, const WeightGrid& trained,
                                                int axis, const WeightForm& form, std::string& reason) {
  const QdqNode& grid = *trained.grid;
  const bool any_point = form.point_of_one_scale && form.type == DataType::Int8 && axis < 0;
  if (reason = obstacle_of(grid, form.type, any_point); !reason.empty()) return std::nullopt;
  if (!(before.shape() == after.shape())) return reason = "its shape changed", std::nullopt;
  const size_t channels = axis < 0 ? 1 : as_index(after.shape()[as_index(axis)]);
  if (axis < 0 && grid.per_channel()) return reason = "the target takes one scale for it", std::nullopt;
  if (grid.per_channel() && (grid.scales.size() != channels || axis_of(trained, after.shape().rank()) != axis))
    return reason = "its scales stand along another axis", std::nullopt;
  reason = unusable_scale(grid);
  std::vector<float> scales(channels);
  for (size_t c = 0; c < channels; ++c) scales[c] = grid.scales[grid.scales.size() == 1 ? 0 : c];
  const std::vector<float> was = channel_maxima(before, axis), is = channel_maxima(after, axis);
  for (size_t c = 0; c < channels; ++c) {
    if (!is_usable(scales[c], grid.codes)) scales[c] = 0;
    if (scales[c] == 0) continue;
    const bool farthest = form.type == DataType::Int8 && was[c] > 127.5F * scales[c];
    if (farthest && is_below_middle(grid)) return reason = "its code 127 is none of the target's", std::nullopt;
    if (farthest && form.narrow && !point_off_centre(grid))
      return reason = "its code -128 is none of the target's", std::nullopt;
    if (was[c] > 0 && is[c] > 0) scales[c] = static_cast<float>(double{scales[c]} * is[c] / was[c]);
  }
  return scales;
}

/// Returns the scales of a weight without a pair that lies on a grid.
std::optional<std::vector<float>> folded_scales(const Tensor& weight, int axis, const WeightForm& form,
                                                std::string& reason) {
  std::optional<std::vector<float>> scales;
  if (form.type == DataType::Int8) scales = scales_of_grid(weight, axis);
  if (scales) reason.clear();
  return scales;
}

}  // namespace

std::map<ValueId, CarriedRange> carry_ranges(const Graph& graph, const PlacementPlan& plan, const TrainedPairs& trained,
                                             RangeKind kind) {
  using Origin = CarriedRange::Origin;
  auto covers = covering_ranges(graph, trained.values, kind);
  const auto wide_covers = covering_ranges(graph, trained.values, widened(kind));
  std::map<ValueId, CarriedRange> carried;
  const auto carry = [&](ValueId value, const Range& range) {
    const Origin own = range.given_scale > 0 ? Origin::Kept : Origin::Fitted;
    carried[value] = {range, covers[value]->steps > 0 ? Origin::Moved : own, covers[value]->from};
  };
  for (const auto& [value, decision] : plan.values) {
    if (decision.wide) covers[value] = wide_covers[value];
    if (covers[value])
      carry(value, within_limits(*covers[value], decision.limit, decision.wide ? widened(kind) : kind));
  }
  // Beside negative numbers the codes of one scale begin below 0, so the range of a Relu or Clip gains nothing from 0:
  // joined with the others it would only be wider than any pair of the file, and again at the next repair.
  const std::set<ValueId> below = values_below_ranges(graph, plan, carried);
  for (const std::vector<ValueId>& group : plan.scale_groups()) {
    const auto reaches_below = [&](ValueId value) {
      return below.contains(value) || (carried.contains(value) && carried[value].range.min < 0);
    };
    const bool negative = std::ranges::any_of(group, reaches_below);
    std::optional<Range> all;
    for (const ValueId value : group) {
      if (!carried.contains(value)) continue;
      if (negative) carry(value, covers[value]->written);
      all = all ? joined(*all, carried[value].range) : carried[value].range;
    }
    // A Clip's bounds cut nothing where another value needs the whole range.
    for (const ValueId value : group)
      if (carried.contains(value) && covers[value]->range == *all) carry(value, *all);
  }
  return carried;
}

std::set<ValueId> values_below_ranges(const Graph& graph, const PlacementPlan& plan,
                                      const std::map<ValueId, CarriedRange>& carried) {
  const ValueMap<bool> positive = never_negative(graph);
  const auto begins_at_zero = [](const std::optional<Range>& range) { return range && range->min >= 0; };
  std::set<ValueId> found;
  for (const std::vector<ValueId>& group : plan.scale_groups()) {
    const auto is_carried = [&](ValueId value) { return carried.contains(value); };
    const auto begins_below = [&](ValueId value) { return is_carried(value) && carried.at(value).range.min < 0; };
    if (std::ranges::none_of(group, is_carried) || std::ranges::any_of(group, begins_below)) continue;
    for (const ValueId value : group)
      if (!is_carried(value) && !graph.value(value).is_constant && !positive[value] &&
          !begins_at_zero(plan.about(value).limit) && !begins_at_zero(plan.about(value).fixed))
        found.insert(value);
  }
  return found;
}

CarriedWeights carry_weights(const Graph& graph, const PlacementPlan& plan, const TrainedPairs& trained,
                             const WeightForm& form) {
  CarriedWeights carried;
  const Graph& before = trained.model.graph();
  std::map<ValueId, std::set<int>> axes;
  for (const WeightDecision& weight : plan.weights) axes[weight.value].insert(weight.axis);
  for (const WeightDecision& weight : plan.weights) {
    const std::string& node = graph.node(weight.node).name;
    const WeightGrid* grid = trained.find_weight({node, weight.slot});
    const MaybeNode same = before.find_node(node);
    const Tensor* was = same ? before.constant(before.node(*same).input(weight.slot)) : nullptr;
    const Tensor* is = graph.constant(weight.value);
    std::string reason = "the file has no pair on it";
    std::optional<std::vector<float>> scales;
    if (axes.at(weight.value).size() > 1)
      reason = "its layers want scales along different axes";
    else if (grid && was && is)
      scales = weight_scales(*was, *is, *grid, form.per_tensor ? -1 : weight.axis, form, reason);
    else if (!grid && is)
      scales = folded_scales(*is, form.per_tensor ? -1 : weight.axis, form, reason);
    if (!scales || !reason.empty())
      carried.anew.push_back(node + ": " + reason);
    else
      ++carried.kept;
    if (!scales) continue;
    const std::string& name = graph.value(weight.value).name;
    if (grid && scales->size() == 1)
      if (const auto point = point_off_centre(*grid->grid)) carried.points[name] = *point;
    carried.scales[name] = std::move(*scales);
  }
  return carried;
}

}  // namespace detent
