#include "calibrate/choose_ranges.h"

#include <algorithm>
#include <set>

#include "run/for_each_index.h"

namespace detent {

void MergedStatistics::include(const Histogram& added, std::span<const Extremes> of_samples) {
  histogram.merge(added);
  samples.resize(of_samples.size());
  for (size_t i = 0; i < samples.size(); ++i) samples[i].include(of_samples[i]);
}

Error lacks_samples(const Calibrator& calibrator, const std::string& value) {
  return {ErrorCode::TableMismatch,
          "the table has no extremes of '" + value + "' in single samples, which " + calibrator.name() + " needs",
          "calibrate again with this version, or choose another calibrator"};
}

namespace {

/// Values that get one range together.
struct Unit {
  std::vector<ValueId> members;
  Range range = {};
  bool wide = false;  ///< a member has 16-bit codes
};

std::vector<Unit> units_of(const PlacementPlan& plan) {
  std::vector<Unit> units;
  for (std::vector<ValueId>& members : plan.range_units()) {
    const bool wide = std::ranges::any_of(members, [&](ValueId value) { return plan.about(value).wide; });
    units.push_back({.members = std::move(members), .wide = wide});
  }
  return units;
}

/// Returns the ranges of the members joined; nullopt when none has one.
std::optional<Range> joined_range(const std::vector<ValueId>& members, const auto& range_of) {
  std::optional<Range> all;
  for (const ValueId value : members)
    if (const std::optional<Range> own = range_of(value)) all = all ? joined(*all, *own) : own;
  return all;
}

std::optional<Range> given_range(const std::map<ValueId, Range>& given, const std::vector<ValueId>& members) {
  return joined_range(members, [&](ValueId value) {
    const auto found = given.find(value);
    return found == given.end() ? std::nullopt : std::optional(found->second);
  });
}

/// Merges the measurements of the values.
/// Errors  TableMismatch when the calibrator needs more.
MergedStatistics merged_statistics(const std::vector<ValueId>& values, const Calibration& calibration,
                                   const Graph& graph, const Calibrator& calibrator) {
  MergedStatistics merged;
  for (const ValueId value : values) {
    const Histogram& histogram = calibration.histograms.at(value);
    std::vector<Extremes> samples;
    if (calibrator.looks_at_samples()) {
      const auto found = calibration.extremes.find(value);
      if (found != calibration.extremes.end())
        samples = found->second;
      else if (graph.constant(value))
        samples.assign(calibration.sample_names.size(), {histogram.min(), histogram.max()});
      else
        throw lacks_samples(calibrator, graph.value(value).name);
    }
    merged.include(histogram, samples);
  }
  return merged;
}

/// Returns the reach of the samples that are not clipped; nullopt where samples are not distinguished.
std::optional<Extremes> reach_of_others(const std::vector<ValueId>& values, const Calibration& calibration,
                                        const RangeChoice& choice) {
  if (choice.clipped_samples.empty()) return std::nullopt;
  Extremes reach;
  for (const ValueId value : values) {
    const auto found = calibration.extremes.find(value);
    if (found == calibration.extremes.end()) {
      if (!choice.graph.constant(value)) return std::nullopt;
      const Histogram& histogram = calibration.histograms.at(value);
      reach.include({histogram.min(), histogram.max()});
      continue;
    }
    reach.include(reach_without(found->second, calibration.sample_names, choice.clipped_samples));
  }
  return reach;
}

/// Returns the range that the calibrator chooses from the merged data of the members without a fixed range. It is cut
/// where all of them have a limit, and widened to the fixed ranges of the others.
/// own  the user names the calibrator for a member: that overrides what operators guarantee, and clipped samples
Range joint_range(const PlacementPlan& plan, const std::vector<ValueId>& members, const Calibration& calibration,
                  const Calibrator& calibrator, const RangeChoice& choice, RangeKind kind, bool own,
                  FoundRanges* found) {
  const auto fixed = [&](ValueId value) { return own ? std::nullopt : plan.about(value).fixed; };
  const auto limit = [&](ValueId value) { return plan.about(value).limit; };
  std::vector<ValueId> measured;
  for (const ValueId value : members)
    if (!fixed(value)) measured.push_back(value);
  const std::optional<Range> given = joined_range(members, fixed);
  if (measured.empty()) return *given;
  const MergedStatistics merged = merged_statistics(measured, calibration, choice.graph, calibrator);
  Range range = merged.view(found).choice_of(calibrator, kind);
  if (const auto reach = own ? std::nullopt : reach_of_others(measured, calibration, choice))
    range = clipped(range, *reach, kind);
  if (std::ranges::all_of(measured, [&](ValueId value) { return limit(value).has_value(); })) {
    const Range limits = *joined_range(measured, limit);
    range = {std::max(range.min, limits.min), std::min(range.max, limits.max)};
  }
  return given ? Range{std::min(range.min, given->min), std::max(range.max, given->max)} : range;
}

/// A sum of scores and masks that were added one behind the other.
struct MaskedScores {
  ValueId scores{}, last{};  ///< before the first mask, behind the last
  std::set<ValueId> sums, masks;
};

std::vector<MaskedScores> masked_scores(const PlacementPlan& plan) {
  std::vector<MaskedScores> found;
  for (const MaskedSum& masked : plan.masked_sums) {
    auto chain = std::ranges::find_if(
        found, [&](const MaskedScores& one) { return one.last == masked.scores || one.sums.contains(masked.sum); });
    if (chain == found.end()) chain = found.insert(found.end(), {masked.scores, masked.sum, {}, {}});
    chain->last = masked.sum;
    chain->sums.insert(masked.sum);
    chain->masks.insert(masked.mask);
  }
  return found;
}

/// Returns the reach of the numbers of a masked sum that are not masked, to the edge of a bin below: those from `least`
/// on. nullopt when none is masked.
std::optional<Range> unmasked_reach(const Histogram& sum, double least) {
  if (sum.min() >= static_cast<float>(least) && sum.infinities() == 0) return std::nullopt;
  const std::span<const uint64_t> below = sum.negative();
  double lowest = 0;
  for (size_t i = 0; i < below.size() && static_cast<double>(i) * sum.bin_width() < -least; ++i)
    if (below[i] > 0) lowest = -static_cast<double>(i + 1) * sum.bin_width();
  return Range{static_cast<float>(lowest), std::max(0.0F, sum.max())};
}

/// Cuts scores to their unmasked part, gives masked sums this range and kMaskDepth below, and masks one that reaches
/// this end from the largest score (H7). Ranges that the user or a file gives stay.
void follow_scores(const PlacementPlan& plan, const Calibration& calibration, const RangeChoice& choice,
                   std::vector<Unit>& units) {
  constexpr float kMaskDepth = 10;     // Softmax: e^-10 is a hundredth of a code of 1/255
  constexpr float kLargestOther = 30;  // of the numbers of a mask that hide nothing (H7)
  const auto unit_of = [&](ValueId value) {
    return std::ranges::find_if(units, [&](const Unit& unit) { return std::ranges::count(unit.members, value) > 0; });
  };
  const auto is_given = [&](const Unit& unit) {
    return find_override(choice.overrides, choice.graph, unit.members) || given_range(calibration.given, unit.members);
  };
  std::map<size_t, float> depths;  // of masks, by unit
  for (const MaskedScores& masked : masked_scores(plan)) {
    const auto scores = unit_of(masked.scores);
    const auto histogram = calibration.histograms.find(masked.last);
    const auto has_given = [&](ValueId sum) {
      const auto unit = unit_of(sum);
      return unit != units.end() && is_given(*unit);
    };
    if (scores == units.end() || is_given(*scores) || histogram == calibration.histograms.end() ||
        std::ranges::any_of(masked.sums, has_given))
      continue;
    const Range whole = scores->range;
    const auto reach =
        unmasked_reach(histogram->second, static_cast<double>(whole.min) - static_cast<double>(kLargestOther));
    if (!reach) continue;
    const Range part{std::max(whole.min, reach->min), std::min(whole.max, reach->max)};
    if (scores->members.size() == 1) scores->range = part;
    const float end = part.min - kMaskDepth;
    for (const ValueId sum : masked.sums)
      if (const auto unit = unit_of(sum); unit != units.end()) unit->range = {end, part.max};
    for (const ValueId mask : masked.masks) {
      const auto unit = unit_of(mask);
      if (unit == units.end() || is_given(*unit)) continue;
      float& depth = depths[static_cast<size_t>(unit - units.begin())];
      depth = std::max(depth, whole.max - end);
    }
  }
  for (const auto& [unit, depth] : depths) units[unit].range = {-depth, std::max(0.0F, units[unit].range.max)};
}

}  // namespace

Extremes reach_without(std::span<const Extremes> extremes, std::span<const std::string> names,
                       const std::set<std::string>& left_out) {
  Extremes reach;
  for (size_t i = 0; i < extremes.size(); ++i)
    if (!left_out.contains(names[i])) reach.include(extremes[i]);
  return reach;
}

Range clipped(const Range& range, const Extremes& reach, RangeKind kind) {
  if (reach.max_abs() == 0) return range;
  if (!is_asymmetric(kind)) {
    const float amax = std::min(range.amax(), reach.max_abs());
    return {-amax, amax};
  }
  return {std::max(range.min, std::min(0.0F, reach.min)), std::min(range.max, std::max(0.0F, reach.max))};
}

const std::set<std::string>& no_samples() {
  static const std::set<std::string> none;
  return none;
}

KnownRanges known_ranges(const PlacementPlan& plan, const std::map<ValueId, Range>& ranges) {
  KnownRanges known;
  for (Unit& unit : units_of(plan)) {
    const Range range = ranges.at(unit.members.front());
    known.emplace(std::pair(std::move(unit.members), unit.wide), range);
  }
  return known;
}

std::map<ValueId, Range> choose_ranges(const PlacementPlan& plan, const Calibration& calibration,
                                       const RangeChoice& choice, KnownRanges* known) {
  std::vector<Unit> units = units_of(plan);
  std::vector<FoundRanges*> found(units.size());
  for (size_t i = 0; choice.found && i < units.size(); ++i) found[i] = &(*choice.found)[units[i].members];
  for_each_index(units.size(), choice.threads, [&](size_t i) {
    Unit& unit = units[i];
    if (known)
      if (const auto before = known->find({unit.members, unit.wide}); before != known->end()) {
        unit.range = before->second;
        return;
      }
    const RangeOverride* own = find_override(choice.overrides, choice.graph, unit.members);
    if (own && !own->calibrator) {
      unit.range = own->range;
      return;
    }
    if (const auto given = given_range(calibration.given, unit.members)) {
      unit.range = *given;
      return;
    }
    const Calibrator& chosen = own ? *own->calibrator : choice.calibrator;
    const RangeKind kind = unit.wide ? widened(choice.kind) : choice.kind;
    unit.range = joint_range(plan, unit.members, calibration, chosen, choice, kind, own, found[i]);
  });

  std::map<ValueId, Range> ranges;
  for (const Unit& unit : units)
    if (known) known->emplace(std::pair(unit.members, unit.wide), unit.range);
  follow_scores(plan, calibration, choice, units);
  for (const Unit& unit : units)
    for (const ValueId value : unit.members) ranges[value] = unit.range;
  return ranges;
}

void measure_missing(Calibration& calibration, std::span<const PlacementPlan> plans, const MeasureValues& measure) {
  std::set<ValueId> missing;
  for (const PlacementPlan& plan : plans)
    for (const ValueId value : plan.quantized_values())
      if (!calibration.histograms.contains(value) && !calibration.given.contains(value)) missing.insert(value);
  if (missing.empty()) return;
  const std::vector<ValueId> values(missing.begin(), missing.end());
  Calibration more = measure(values);
  calibration.histograms.merge(more.histograms);
  calibration.extremes.merge(more.extremes);  // of the same samples: it is the same data
  calibration.given.merge(more.given);
}

std::map<ValueId, Range> RangeBook::ranges_of(const PlacementPlan& plan) {
  measure_for(std::span(&plan, 1));
  return choose_ranges(plan, calibration_, choice_, &known_);
}

}  // namespace detent
