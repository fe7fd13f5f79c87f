#include "pipeline/choose_before_half.h"

#include <algorithm>
#include <optional>

#include "exec/find_shapes.h"
#include "place/make_plan.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

using HalfOf = std::map<ValueId, ValueId>;

/// By value of the float model that `plan` quantizes: the value of the half plan with its numbers; nullopt when one has none.
std::optional<HalfOf> half_values(const Setup& setup, const PlacementPlan& plan) {
  HalfOf found;
  const std::vector<ValueId> quantized = setup.plan.quantized_values();
  for (const auto& [half, before] : values_before(setup.model.graph(), setup.half->before->graph(), quantized))
    found.try_emplace(before, half);
  const Graph& before = setup.half->before->graph();
  for (const ValueId value : plan.quantized_values()) {
    if (found.contains(value)) continue;
    const ValueId same = setup.model.graph().find_value(before.value(value).name);
    if (!before.value(value).is_constant || std::ranges::count(quantized, same) == 0) return std::nullopt;
    found.emplace(value, same);
  }
  return found;
}

}  // namespace

ChosenRanges choose_before_half(const Setup& setup, const Calibration& calibration, const RangesOf& ranges_of,
                                const ChoiceEffort& effort) {
  const Model& before = *setup.half->before;
  const auto inputs = read_first_inputs(setup.samples(), setup.run);
  const PlacementPlan plan =
      make_placement_plan(before.graph(), *setup.plan.target, setup.placement, find_shapes(before.graph(), inputs));
  const DataSource* source = &setup.samples();
  const auto half_of = half_values(setup, plan);
  if (!half_of)
    return choose_calibrator(
        {setup.model, setup.plan, setup.format, calibration, ranges_of, source, setup.run, effort});
  const RangesOf before_ranges = [&](const Calibrator& calibrator) {
    const std::map<ValueId, Range> ranges = ranges_of(calibrator);
    std::map<ValueId, Range> moved;
    for (const auto& [value, half] : *half_of) moved[value] = ranges.at(half);
    return moved;
  };
  const Calibration before_calibration = for_values(calibration, *half_of);
  ChosenRanges chosen =
      choose_calibrator({before, plan, setup.format, before_calibration, before_ranges, source, setup.run, effort});
  chosen.ranges = ranges_of(*chosen.calibrator);
  return chosen;
}

}  // namespace detent
