#include "pipeline/setup.h"

#include "calibrate/choose_ranges.h"
#include "pipeline/quantize_report.h"

namespace detent {

RangeKind PlannedModel::range_kind() const {
  return format.activation.type == DataType::UInt8 ? RangeKind::Asymmetric : RangeKind::Symmetric;
}

RangesOf PlannedModel::ranges_from(const Calibration& calibration, size_t threads) const {
  const auto known = std::make_shared<std::map<std::string, std::map<ValueId, Range>>>();
  return [this, &calibration, threads, known](const Calibrator& calibrator) {
    const auto [entry, added] = known->try_emplace(calibrator.name());
    if (added)
      entry->second = choose_ranges(model.graph(), plan, calibration, calibrator, overrides, range_kind(), threads);
    return entry->second;
  };
}

Model PlannedModel::quantized(const std::map<ValueId, Range>& ranges, const GraphPatch& biases) const {
  Model variant = model.clone();
  if (!biases.empty()) apply_patch(variant, biases);
  apply_patch(variant, make_qdq_patch(variant.graph(), plan, ranges, format).patch);
  return variant;
}

PlannedModel plan_model_for(const PlanningOptions& options) {
  const Target& target = find_target(options.target);
  const RewriteOptions format = rewrite_options(options.format, options.placement, target);
  RangeOverrides overrides = read_overrides(options.override_file);
  const EqualizeRequest request = parse_equalize(options.equalize);
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  auto data = open_data(options.data, input_specs(model.graph()));
  const std::vector<Tensor> inputs = read_first_inputs(*data, model.graph(), options.run);
  const Preparation preparation = prepare_checked(model, target, inputs, prepare_options(options.placement));
  auto evened = even_channels(model, request, inputs, *data, {.per_tensor_weights = format.per_tensor_weights},
                              {target, options.placement, format, overrides, options.calibrators, options.run});
  ValueShapes shapes = find_shapes(model.graph(), inputs);
  PlacementPlan plan = make_placement_plan(model.graph(), target, options.placement, shapes);
  check_overrides(overrides, model.graph(), plan);
  return {std::move(model),     facts,           preparation,      format, std::move(shapes), std::move(plan),
          std::move(overrides), std::move(data), std::move(evened)};
}

}  // namespace detent
