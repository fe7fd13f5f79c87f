#include "pipeline/parts/choose_before_half.h"

#include <algorithm>
#include <optional>

#include "exec/find_shapes.h"
#include "place/make_plan.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

using HalfOf = std::map<ValueId, ValueId>;

/// By value of the float model that `plan` quantizes: the value of the half plan with its numbers; nullopt when one has none.
std::optional<HalfOf> half_values(const CalibratorQuestion& question, const Graph& before, const PlacementPlan& plan) {
  HalfOf found;
  const Graph& graph = question.model.graph();
  const std::vector<ValueId> quantized = question.plan.quantized_values();
  for (const auto& [value, carried] : values_before(graph, before, quantized)) found.try_emplace(carried, value);
  for (const ValueId value : plan.quantized_values()) {
    if (found.contains(value)) continue;
    const ValueId same = graph.find_value(before.value(value).name);
    if (!before.value(value).is_constant || std::ranges::count(quantized, same) == 0) return std::nullopt;
    found.emplace(value, same);
  }
  return found;
}

}  // namespace

ChosenRanges choose_before_half(const CalibratorQuestion& question, const HalfSetup& half,
                                const PlacementOptions& placement) {
  const Model& before = *half.before;
  const auto inputs = read_first_inputs(*question.source, question.settings);
  const PlacementPlan plan =
      make_placement_plan(before.graph(), *question.plan.target, placement, find_shapes(before.graph(), inputs));
  const auto half_of = half_values(question, before.graph(), plan);
  if (!half_of) return choose_calibrator(question);
  const RangesOf ranges_of = [&](const Calibrator& calibrator) {
    const std::map<ValueId, Range> ranges = question.ranges_of(calibrator);
    std::map<ValueId, Range> moved;
    for (const auto& [value, carried] : *half_of) moved[value] = ranges.at(carried);
    return moved;
  };
  const Calibration calibration = for_values(question.calibration, *half_of);
  ChosenRanges chosen = choose_calibrator(
      {before, plan, question.format, calibration, ranges_of, question.source, question.settings, question.effort});
  chosen.ranges = question.ranges_of(*chosen.calibrator);
  return chosen;
}

}  // namespace detent
