#include "pipeline/choose_ranges.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pipeline/for_each_index.h"

namespace detent {

namespace {

RangeOverride parse_override(const std::string& name, const nlohmann::json& entry) {
  RangeOverride parsed;
  if (entry.contains("calibrator")) {
    parsed.calibrator = make_calibrator(entry.at("calibrator").get<std::string>());
  } else if (entry.contains("amax")) {
    const float amax = entry.at("amax").get<float>();
    parsed.range = {-amax, amax};
  } else if (entry.contains("min") && entry.contains("max")) {
    parsed.range = {entry.at("min").get<float>(), entry.at("max").get<float>()};
  } else {
    throw Error(ErrorCode::InvalidOption, "'" + name + "' has neither calibrator, nor amax, nor min and max");
  }
  if (!(parsed.range.min <= 0 && parsed.range.max >= 0))
    throw Error(ErrorCode::InvalidOption, "the range of '" + name + "' does not contain 0");
  return parsed;
}

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

bool holds(const std::vector<FixedRange>& ranges, ValueId value) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const FixedRange& one) { return one.value == value; });
}

/// What the calibrator chooses from the merged data of the members whose range is not given, cut where every one of them has
/// a limit, and widened to the given ranges of the others.
Range joint_range(const PlacementPlan& plan, const std::vector<ValueId>& members, const Calibration& calibration,
                  const Calibrator& calibrator, RangeKind kind) {
  std::vector<ValueId> measured;
  for (const ValueId value : members)
    if (!holds(plan.fixed_ranges, value)) measured.push_back(value);
  const std::optional<Range> given = find_range(plan.fixed_ranges, members);
  if (measured.empty()) return *given;
  Histogram merged = calibration.histograms.at(measured.front());
  for (size_t k = 1; k < measured.size(); ++k) merged.merge(calibration.histograms.at(measured[k]));
  Range range = calibrator.choose(merged, kind);
  const bool limited =
      std::all_of(measured.begin(), measured.end(), [&](ValueId value) { return holds(plan.range_limits, value); });
  if (limited) {
    const Range limits = *find_range(plan.range_limits, measured);
    range = {std::max(range.min, limits.min), std::min(range.max, limits.max)};
  }
  return given ? Range{std::min(range.min, given->min), std::max(range.max, given->max)} : range;
}

}  // namespace

RangeOverrides read_overrides(const std::filesystem::path& file) {
  RangeOverrides overrides;
  if (file.empty()) return overrides;
  std::ifstream stream(file);
  if (!stream) throw Error(ErrorCode::InvalidOption, file.string() + ": cannot be read");
  try {
    const nlohmann::json document = nlohmann::json::parse(stream);
    for (const auto& [name, entry] : document.items()) overrides[name] = parse_override(name, entry);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::InvalidOption, file.string() + ": " + error.what());
  } catch (const Error& error) {
    throw error.in(file.string());
  }
  return overrides;
}

std::map<ValueId, Range> choose_ranges(const Graph& graph, const PlacementPlan& plan, const Calibration& calibration,
                                       const Calibrator& calibrator, const RangeOverrides& overrides, RangeKind kind,
                                       size_t threads) {
  std::vector<Unit> units = units_of(plan);
  std::map<std::string, bool> used;
  for (const Unit& unit : units)
    for (const ValueId value : unit.members) used[graph.value(value).name] = true;
  for (const auto& [name, ignored] : overrides)
    if (!used.count(name)) throw Error(ErrorCode::InvalidOption, "--override names '" + name + "', which gets no pair");

  for_each_index(units.size(), threads, [&](size_t i) {
    Unit& unit = units[i];
    const Calibrator* chosen = &calibrator;
    for (const ValueId value : unit.members) {
      const auto found = overrides.find(graph.value(value).name);
      if (found == overrides.end()) continue;
      if (!found->second.calibrator) {
        unit.range = found->second.range;
        return;
      }
      chosen = found->second.calibrator.get();
    }
    unit.range = joint_range(plan, unit.members, calibration, *chosen, kind);
  });

  std::map<ValueId, Range> ranges;
  for (const Unit& unit : units)
    for (const ValueId value : unit.members) ranges[value] = unit.range;
  return ranges;
}

}  // namespace detent
