#include "pipeline/choose_ranges.h"

#include <algorithm>

#include "pipeline/for_each_index.h"

namespace detent {

namespace {

/// Values that get one range together.
struct Unit {
  std::vector<ValueId> members;
  Range range;
};

std::vector<Unit> units_of(const PlacementPlan& plan) {
  std::vector<Unit> units;
  std::map<ValueId, bool> grouped;
  for (const auto& group : plan.scale_groups()) {
    units.push_back({group, {}});
    for (const ValueId value : group) grouped[value] = true;
  }
  for (const ValueId value : plan.quantized_values())
    if (!grouped[value]) units.push_back({{value}, {}});
  return units;
}

std::optional<Range> find_range(const std::vector<FixedRange>& ranges, const std::vector<ValueId>& members) {
  std::optional<Range> joined;
  for (const FixedRange& fixed : ranges) {
    if (std::find(members.begin(), members.end(), fixed.value) == members.end()) continue;
    joined =
        joined ? Range{std::min(joined->min, fixed.range.min), std::max(joined->max, fixed.range.max)} : fixed.range;
  }
  return joined;
}

/// The range of an imported scale, of several the widest; nothing when none of the members has one.
std::optional<Range> imported_range(const std::map<ValueId, float>& scales, const std::vector<ValueId>& members) {
  float widest = 0;
  for (const ValueId value : members)
    if (const auto found = scales.find(value); found != scales.end()) widest = std::max(widest, found->second);
  if (widest == 0) return std::nullopt;
  const auto amax = static_cast<float>(127.0 * widest);
  return Range{-amax, amax, widest};
}

}  // namespace

std::map<ValueId, Range> choose_ranges(const Graph& graph, const PlacementPlan& plan, const Calibration& calibration,
                                       const Calibrator& calibrator, const RangeOverrides& overrides, RangeKind kind,
                                       size_t threads, KnownRanges* known) {
  std::vector<Unit> units = units_of(plan);
  for_each_index(units.size(), threads, [&](size_t i) {
    Unit& unit = units[i];
    if (known)
      if (const auto before = known->find(unit.members); before != known->end()) {
        unit.range = before->second;
        return;
      }
    const RangeOverride* own = find_override(overrides, graph, unit.members);
    if (own && !own->calibrator) {
      unit.range = own->range;
      return;
    }
    if (const auto imported = imported_range(calibration.scales, unit.members)) {
      unit.range = *imported;
      return;
    }
    const Calibrator* chosen = own ? own->calibrator.get() : &calibrator;
    const auto fixed = find_range(plan.fixed_ranges, unit.members);
    if (!own && fixed && unit.members.size() == 1) {
      unit.range = *fixed;
      return;
    }
    Histogram merged = calibration.histograms.at(unit.members.front());
    for (size_t k = 1; k < unit.members.size(); ++k) merged.merge(calibration.histograms.at(unit.members[k]));
    unit.range = chosen->choose(merged, kind);
    if (const auto limits = find_range(plan.range_limits, unit.members); limits && unit.members.size() == 1)
      unit.range = {std::max(unit.range.min, limits->min), std::min(unit.range.max, limits->max)};
  });

  std::map<ValueId, Range> ranges;
  for (const Unit& unit : units) {
    for (const ValueId value : unit.members) ranges[value] = unit.range;
    if (known) known->emplace(unit.members, unit.range);
  }
  return ranges;
}

}  // namespace detent
