#include "tune/refine/range_trials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace detent {

namespace {

constexpr std::array<std::pair<float, std::string_view>, 4> kFactors = {
    {{0.7F, "x0.7"}, {0.84F, "x0.84"}, {1.19F, "x1.19"}, {1.41F, "x1.41"}}};
/// 0.5 dB of rounding noise, which 32 samples do not resolve.
constexpr double kClose = 0.06;

bool is_a_choice(const std::vector<ValueId>& members, const TrialQuestion& question) {
  if (find_override(question.overrides, question.graph, members)) return false;
  return std::ranges::all_of(members, [&](ValueId value) {
    return question.calibration.histograms.contains(value) && !question.calibration.given.contains(value) &&
           !question.plan.about(value).fixed;
  });
}

/// Returns the widest useful range: the measured one, cut to the limits if all members have one.
Range reach_of(const std::vector<ValueId>& members, const TrialQuestion& question) {
  Range measured, limits;
  bool limited = true;
  for (const ValueId value : members) {
    const Histogram& histogram = question.calibration.histograms.at(value);
    measured = {std::min(measured.min, histogram.min()), std::max(measured.max, histogram.max())};
    const std::optional<Range>& limit = question.plan.about(value).limit;
    limited = limited && limit;
    if (limit) limits = joined(limits, *limit);
  }
  return limited ? Range{std::max(measured.min, limits.min), std::min(measured.max, limits.max)} : measured;
}

/// Scales a range. `reach` bounds the widening; a range that is wider already is not cut.
Range scaled(const Range& own, float factor, const Range& reach) {
  if (own.min == -own.max) {
    const float amax = std::min(own.max * factor, std::max(own.max, reach.amax()));
    return {-amax, amax};
  }
  return {std::max(own.min * factor, std::min(own.min, reach.min)),
          std::min(own.max * factor, std::max(own.max, reach.max))};
}

double width(const Range& range) { return static_cast<double>(range.max) - range.min; }

bool close(const Range& a, const Range& b) {
  const double apart = std::abs(static_cast<double>(a.min) - b.min) + std::abs(static_cast<double>(a.max) - b.max);
  return apart <= kClose * std::min(width(a), width(b));
}

int64_t macs_behind(const std::vector<ValueId>& members, const TrialQuestion& question) {
  std::set<ValueId> changed(members.begin(), members.end());
  std::set<NodeId> nodes;
  const auto is_changed = [&](ValueId value) { return changed.contains(value); };
  for (const Node& node : question.graph.nodes()) {
    if (std::ranges::none_of(present(node.inputs), is_changed) &&
        std::ranges::none_of(question.graph.captured_by(node), is_changed))
      continue;
    nodes.insert(node.id);
    for (const ValueId output : present(node.outputs)) changed.insert(output);
  }
  int64_t macs = 0;
  for (const LayerDecision& layer : question.plan.layers)
    if (nodes.contains(layer.node)) macs += layer.macs;
  return macs;
}

}  // namespace

std::vector<RangeUnit> units_to_try(const TrialQuestion& question, const std::map<ValueId, Range>& ranges) {
  std::vector<std::pair<std::string, std::map<ValueId, Range>>> choices;
  for (const std::string_view name : auto_candidates())
    choices.emplace_back(name, question.ranges_of(*make_calibrator(name)));
  std::vector<RangeUnit> units;
  for (std::vector<ValueId>& members : question.plan.range_units()) {
    if (!is_a_choice(members, question)) continue;
    const ValueId first = members.front();
    RangeUnit unit{std::move(members), ranges.at(first), {}, 0};
    const auto add = [&](const Range& range, std::string_view origin) {
      if (width(range) == 0 || close(range, unit.own)) return;
      if (std::ranges::any_of(unit.trials, [&](const TrialRange& trial) { return close(trial.range, range); })) return;
      unit.trials.push_back({range, std::string(origin)});
    };
    for (const auto& [name, chosen] : choices) add(chosen.at(first), name);
    const Range reach = reach_of(unit.members, question);
    for (const auto& [factor, name] : kFactors) add(scaled(unit.own, factor, reach), name);
    if (unit.trials.empty()) continue;
    std::ranges::stable_sort(unit.trials, {}, [](const TrialRange& trial) { return width(trial.range); });
    unit.macs = macs_behind(unit.members, question);
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace detent
