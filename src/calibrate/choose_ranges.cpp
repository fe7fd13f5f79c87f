#include "calibrate/choose_ranges.h"

#include <algorithm>

#include "run/for_each_index.h"

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

bool holds(const std::vector<FixedRange>& ranges, ValueId value) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const FixedRange& one) { return one.value == value; });
}

/// The range that the calibrator chooses from the merged data of the members whose range is not given in `fixed`, cut where every one
/// of them has a limit, and widened to the given ranges of the others.
Range joint_range(const std::vector<FixedRange>& fixed, const std::vector<FixedRange>& limits_of,
                  const std::vector<ValueId>& members, const Calibration& calibration, const Calibrator& calibrator,
                  RangeKind kind) {
  std::vector<ValueId> measured;
  for (const ValueId value : members)
    if (!holds(fixed, value)) measured.push_back(value);
  const std::optional<Range> given = find_range(fixed, members);
  if (measured.empty()) return *given;
  Histogram merged = calibration.histograms.at(measured.front());
  for (size_t k = 1; k < measured.size(); ++k) merged.merge(calibration.histograms.at(measured[k]));
  Range range = calibrator.choose(merged, kind);
  const bool limited =
      std::all_of(measured.begin(), measured.end(), [&](ValueId value) { return holds(limits_of, value); });
  if (limited) {
    const Range limits = *find_range(limits_of, measured);
    range = {std::max(range.min, limits.min), std::min(range.max, limits.max)};
  }
  return given ? Range{std::min(range.min, given->min), std::max(range.max, given->max)} : range;
}

}  // namespace

std::map<ValueId, Range> choose_ranges(const PlacementPlan& plan, const Calibration& calibration,
                                       const RangeChoice& choice, KnownRanges* known) {
  std::vector<Unit> units = units_of(plan);
  for_each_index(units.size(), choice.threads, [&](size_t i) {
    Unit& unit = units[i];
    if (known)
      if (const auto before = known->find(unit.members); before != known->end()) {
        unit.range = before->second;
        return;
      }
    const RangeOverride* own = find_override(choice.overrides, choice.graph, unit.members);
    if (own && !own->calibrator) {
      unit.range = own->range;
      return;
    }
    if (const auto imported = imported_range(calibration.scales, unit.members)) {
      unit.range = *imported;
      return;
    }
    const Calibrator* chosen = own ? own->calibrator.get() : &choice.calibrator;
    // Who names a calibrator for a value wants it measured, whatever its operator promises.
    const std::vector<FixedRange> fixed = own ? std::vector<FixedRange>{} : plan.fixed_ranges;
    unit.range = joint_range(fixed, plan.range_limits, unit.members, calibration, *chosen, choice.kind);
  });

  std::map<ValueId, Range> ranges;
  for (const Unit& unit : units) {
    for (const ValueId value : unit.members) ranges[value] = unit.range;
    if (known) known->emplace(unit.members, unit.range);
  }
  return ranges;
}

}  // namespace detent
