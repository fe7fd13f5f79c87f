#include "pipeline/parts/setup.h"

#include "calibrate/from_table.h"
#include "calibrate/outlier_samples.h"
#include "calibrate/ruined_values.h"
#include "detent/error.h"
#include "detent/qparams.h"
#include "exec/find_shapes.h"
#include "half/half_model.h"
#include "model/fingerprint.h"
#include "pipeline/parts/choose_before_half.h"
#include "pipeline/parts/memory_need.h"
#include "pipeline/parts/stray_options.h"
#include "pipeline/parts/written_file.h"
#include "place/draft/float_layers.h"
#include "place/make_plan.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/format_options.h"
#include "rewrite/written_size.h"
#include "run/model_inputs.h"
#include "run/sample_subset.h"
#include "run/workers.h"
#include "tune/equalize/request.h"
#include "tune/equalize/table_equalization.h"

namespace detent {

namespace {

/// The table of `options`; nothing without one. `model` as it was read.
std::optional<CalibrationTable> open_table(const SetupOptions& options, const Model& model) {
  if (!options.table.empty()) return read_table_of(options.table, fingerprint(model).hex());
  if (!options.data.given())
    throw Error(ErrorCode::Usage, "neither --data nor --table was given, so there is nothing to take ranges from");
  return std::nullopt;
}

/// Layers in branches and loops are not quantized, which may be most of a network.
void warn_of_inner_layers(const Graph& graph, Reporter& reporter) {
  for (const Node& node : graph.nodes())
    if (const std::string text = inner_layers_text(node); !text.empty()) reporter.warn(text);
}

std::unique_ptr<DataSource> open_source(const DataOptions& data, const Graph& graph) {
  return data.given() ? open_samples(data, graph) : nullptr;
}

/// A table need not tell how far the values reach that are not quantized.
void check_half(FloatType type, const std::optional<CalibrationTable>& table) {
  if (type == FloatType::Fp32 || !table || !table->reaches.empty()) return;
  throw Error(ErrorCode::Usage, "a 16-bit float type needs what all float values reach, which this table does not hold",
              "'calibrate --float-type fp16' makes one that does; --float-type fp32 writes the pairs alone");
}

}  // namespace

Calibration Setup::measure(std::span<const ValueId> values) const {
  return half ? measure_before(values) : measure_in(model.graph(), values);
}

Calibration Setup::measure_in(const Graph& graph, std::span<const ValueId> values) const {
  return table ? calibration_from(*table, graph, values, *run.reporter) : calibrate(graph, values, samples(), run);
}

Calibration Setup::measure_before(std::span<const ValueId> values) const {
  const auto before = values_before(model.graph(), half->before->graph(), values);
  std::set<ValueId> carried;
  for (const auto& [value, from] : before) carried.insert(from);
  const Calibration measured = measure_in(half->before->graph(), std::vector(carried.begin(), carried.end()));
  Calibration calibration = for_values(measured, before);
  std::map<ValueId, Histogram> constants;
  add_constants(model.graph(), values, constants);
  check_measured(model.graph(), constants, *run.reporter);
  calibration.histograms.merge(constants);
  return calibration;
}

void Setup::force_float32(ForcedFloat32 nodes) {
  model = half->before->clone();
  half->forced = std::move(nodes);
  half->report = make_half(model, half->format, half->reaches, half->forced);
  const std::vector<Tensor> inputs = data ? read_first_inputs(*data, run) : made_up_inputs(model.graph());
  shapes = inputs.empty() ? ValueShapes{} : find_shapes(model.graph(), inputs);
  plan = make_placement_plan(model.graph(), *plan.target, placement, shapes);
}

Calibration Setup::calibrate_plan() {
  Calibration calibration = measure(plan.quantized_values());
  keep_ruined_float(calibration);
  outlier_report = find_outlier_samples(calibration);
  outlier_report.policy = name_of(policy);
  outliers = names_of(outlier_report);
  if (policy != OutlierPolicy::Drop || outliers.empty()) return calibration;
  if (table)
    throw Error(ErrorCode::Usage, "--outliers drop: a table does not keep the histograms of single samples",
                "--outliers clip works with a table; drop needs --data without --table");
  usual = std::make_unique<SampleSubset>(*data, samples_without(*data, outliers));
  return measure(plan.quantized_values());
}

void Setup::keep_ruined_float(Calibration& calibration) {
  if (placement.residual == PlacementOptions::Residual::Quantize) return;
  placement.ruined = ruined_readers(model.graph(), plan, placement, calibration, overrides, format.range_kind());
  if (placement.ruined.empty()) return;
  plan = make_placement_plan(model.graph(), *plan.target, placement, shapes);
  // What carries no pair any more is forgotten, as if it had never been measured.
  std::map<ValueId, Histogram> histograms;
  std::map<ValueId, std::vector<Extremes>> extremes;
  for (const ValueId value : plan.quantized_values()) {
    if (auto found = calibration.histograms.extract(value)) histograms.insert(std::move(found));
    if (auto found = calibration.extremes.extract(value)) extremes.insert(std::move(found));
  }
  calibration.histograms = std::move(histograms);
  calibration.extremes = std::move(extremes);
}

RangeChoice Setup::range_choice(const Calibrator& calibrator) const {
  return {model.graph(),       calibrator,        overrides,
          format.range_kind(), worker_count(run), policy == OutlierPolicy::Clip ? outliers : no_samples()};
}

RangesOf Setup::ranges_from(const Calibration& calibration) const {
  const auto known = std::make_shared<std::map<std::string, std::map<ValueId, Range>>>();
  return [this, &calibration, known](const Calibrator& calibrator) {
    const auto [entry, added] = known->try_emplace(calibrator.name());
    if (added) entry->second = choose_ranges(plan, calibration, range_choice(calibrator));
    return entry->second;
  };
}

ChosenRanges Setup::choose(std::unique_ptr<Calibrator> calibrator, const Calibration& calibration,
                           const ChoiceEffort& effort) const {
  const RangesOf ranges_of = ranges_from(calibration);
  if (!calibrator) {
    const CalibratorQuestion question{model, plan,  format, calibration, ranges_of, data ? &samples() : nullptr,
                                      run,   effort};
    return half && data ? choose_before_half(question, *half, placement) : choose_calibrator(question);
  }
  auto ranges = ranges_of(*calibrator);
  return {std::move(calibrator), std::move(ranges), std::nullopt};
}

Setup set_up(const SetupOptions& options) {
  refuse_stray_options(options.data, options.eval, options.run);
  const Target& target = find_target(options.target);
  const RewriteOptions format = rewrite_options(options.format, options.placement, target);
  const PlacementOptions placement = placement_with(format, options.placement, target);
  RangeOverrides overrides = read_overrides(options.override_file);
  const EqualizeRequest request = parse_equalize(options.equalize.equalize);

  // model.onnx -> graph that the target likes
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  auto table = open_table(options, model);
  auto data = open_source(options.data, model.graph());
  const IdentifiedSamples* identified = nullptr;
  if (data && options.identify) {
    auto wrapped = std::make_unique<IdentifiedSamples>(std::move(data));
    identified = wrapped.get();
    data = std::move(wrapped);
  }
  warn_of_unused_preprocess(options.data, options.eval ? *options.eval : DataOptions{}, model.graph(),
                            *options.run.reporter);
  const std::vector<Tensor> inputs = data ? read_first_inputs(*data, options.run) : made_up_inputs(model.graph());
  const FloatType type = float_type_of(options.format, target);
  check_half(type, table);
  const Preparation preparation = prepare_checked(model, target, inputs, prepare_options(placement, type));

  const auto has_room = [&](const ValueShapes& shapes, const PlacementPlan& plan) {
    check_memory_need(memory_need(model.graph(), shapes, plan, format, data.get(), options.run),
                      options.model.string());
  };
  if (request.equalizes() || type != FloatType::Fp32) {  // before channels or float ranges are measured
    const ValueShapes shapes = inputs.empty() ? ValueShapes{} : find_shapes(model.graph(), inputs);
    const PlacementPlan plan = make_placement_plan(model.graph(), target, placement, shapes);
    has_room(shapes, plan);
    if (options.one_file)
      check_one_file(*options.one_file, ExternalData::Never,
                     [&] { return least_written_bytes(model, plan, format, type != FloatType::Fp32); });
  }

  // channels evened out
  auto equalized =
      table ? equalize_by_table(*table, model, request, inputs)
            : equalize_as_requested(model, request, {inputs, *data, options.outliers},
                                    {.per_tensor_weights = format.per_tensor_weights},
                                    {target, placement, format, overrides, options.calibrators, options.run});

  // 16 bits where values allow it
  std::optional<HalfSetup> half;
  if (type != FloatType::Fp32)
    half =
        set_up_half(model, model, type,
                    table ? reaches_from(*table, model.graph()) : measure_reaches(model.graph(), *data, options.run));

  // rules x target -> placement plan
  ValueShapes shapes = inputs.empty() ? ValueShapes{} : find_shapes(model.graph(), inputs);
  PlacementPlan plan = make_placement_plan(model.graph(), target, placement, shapes);
  has_room(shapes, plan);
  if (options.one_file)
    check_one_file(*options.one_file, ExternalData::Never, [&] { return least_written_bytes(model, plan, format); });
  check_overrides(overrides, model.graph(), plan);
  warn_of_inner_layers(model.graph(), *options.run.reporter);
  return {std::move(model),
          facts,
          preparation,
          format,
          std::move(shapes),
          std::move(plan),
          std::move(overrides),
          std::move(table),
          std::move(data),
          identified,
          std::move(equalized),
          std::move(half),
          options.run,
          options.outliers,
          placement,
          {},
          {},
          nullptr};
}

std::unique_ptr<Calibrator> named_calibrator(const std::string& spec) {
  return is_auto(spec) ? nullptr : make_calibrator(spec);
}

}  // namespace detent
