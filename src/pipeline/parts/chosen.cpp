#include "pipeline/parts/chosen.h"

#include <algorithm>
#include <map>
#include <utility>

#include "calibrate/apart_values.h"
#include "calibrate/from_table.h"
#include "calibrate/outlier_samples.h"
#include "calibrate/ruined_values.h"
#include "core/process/early_end.h"
#include "detent/base/error.h"
#include "exec/find_shapes.h"
#include "exec/runnable_part.h"
#include "model/graph_patch.h"
#include "pipeline/parts/early_result.h"
#include "pipeline/parts/speed_outlook.h"
#include "place/make_plan.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/quantized_model.h"
#include "run/model_inputs.h"
#include "run/sample_subset.h"
#include "run/workers.h"
#include "tune/fixed_products.h"
#include "tune/int8_attention.h"
#include "tune/ruinous_layers.h"

namespace detent {

namespace {

/// Follows the Casts that make the value, or, for the source of an output, the Cast that reads it.
MaybeValue value_before(const Graph& half, const Graph& before, ValueId value) {
  for (ValueId from = value; !half.value(from).is_constant;) {
    if (const MaybeValue same = before.find_value(half.value(from).name)) return same;
    const Node* producer = half.producer(from);
    if (!producer || producer->op_type != "Cast") break;
    from = *producer->input(0);
  }
  for (const Use& use : half.value(value).uses) {
    if (use.slot < 0 || half.node(use.node).op_type != "Cast") continue;
    if (const MaybeValue cast = before.find_value(half.value(*half.node(use.node).output(0)).name)) return cast;
  }
  return kNoValue;
}

/// Returns by value of a model's 16-bit form the value of the FP32 model with the same numbers: of the same name, or
/// with Casts between. Constants, and integers that only the 16-bit form has, have none.
std::map<ValueId, ValueId> values_before(const Graph& half, const Graph& before, std::span<const ValueId> values) {
  std::map<ValueId, ValueId> found;
  for (const ValueId value : values)
    if (const MaybeValue carried = value_before(half, before, value)) found[value] = *carried;
  return found;
}

/// Returns the values that others take their numbers from, each once.
std::vector<ValueId> sources_of(const std::map<ValueId, ValueId>& before) {
  std::set<ValueId> carried;
  for (const auto& [value, from] : before) carried.insert(from);
  return {carried.begin(), carried.end()};
}

/// Measures values of the FP32 model. Targets share the pass over the whole data, not one over a part of it.
Calibration measure_in_float32(const Prepared& prepared, const DataSource* samples, std::span<const ValueId> values) {
  const Recipe& recipe = prepared.recipe;
  const Graph& graph = prepared.float32->graph();
  if (!samples && !prepared.table) {  // scales at run time need none
    if (values.empty()) return {};
    throw Error(
        ErrorCode::Usage,
        "the range of '" + graph.value(values.front()).name + "' needs --data or --table, and neither was given",
        "leave --include away: only nodes that it names have a scale in advance");
  }
  if (prepared.table) return calibration_from(*prepared.table, graph, values, *recipe.run.reporter);
  const RunnablePart runnable(graph);
  std::vector<ValueId> reached;  // --override gives the range of others
  std::ranges::copy_if(values, std::back_inserter(reached), [&](ValueId value) { return runnable.can_run(value); });
  if (recipe.pass && samples == prepared.data.get())
    return recipe.pass->calibrate(*prepared.float32, reached, *samples, recipe.run);
  return calibrate(graph, reached, *samples, recipe.run);
}

/// Returns histograms of the values, from the table or a pass over `samples`; for a model in a 16-bit type those of the
/// FP32 model, which a table has.
Calibration measure_values(const Prepared& prepared, const DataSource* samples, std::span<const ValueId> values) {
  if (!prepared.half) return measure_in_float32(prepared, samples, values);
  const Graph& graph = prepared.graph();
  const auto before = values_before(graph, prepared.float32->graph(), values);
  const Calibration measured = measure_in_float32(prepared, samples, sources_of(before));
  Calibration calibration = for_values(measured, before);
  std::map<ValueId, Histogram> constants;
  add_constants(graph, values, constants);
  check_measured(graph, constants, *prepared.recipe.run.reporter);
  calibration.histograms.merge(constants);
  return calibration;
}

/// Measures the values of the plan on the samples that the time allows (EarlyEnd).
Calibration measure_first(const Prepared& prepared, const DataSource* samples) {
  const std::vector<ValueId> values = prepared.plan.quantized_values();
  return on_part_of_samples([&] { return measure_values(prepared, samples, values); });
}

/// Removes the measurements of values that no longer have a pair.
void restrict_to(const PlacementPlan& plan, Calibration& calibration) {
  std::map<ValueId, Histogram> histograms;
  std::map<ValueId, std::vector<Extremes>> extremes;
  for (const ValueId value : plan.quantized_values()) {
    if (auto found = calibration.histograms.extract(value)) histograms.insert(std::move(found));
    if (auto found = calibration.extremes.extract(value)) extremes.insert(std::move(found));
  }
  calibration.histograms = std::move(histograms);
  calibration.extremes = std::move(extremes);
}

/// Returns the products whose data are evened out by a Mul in front, because 8 bits would ruin them, by node name, each
/// with the reason.
std::map<std::string, std::string> readers_of_branches(const Prepared& prepared) {
  std::map<std::string, std::string> readers;
  if (!prepared.equalized) return readers;
  const Graph& graph = prepared.graph();
  for (const auto& [name, evened] : prepared.equalized->equalization.values) {
    const MaybeValue value = graph.find_value(name);
    if (evened.family != EqualizeFamily::Branch || !value) continue;
    for (const Use& use : graph.value(*value).uses) {
      const Node& multiplied = graph.node(use.node);
      if (use.slot < 0 || multiplied.op_type != "Mul" || !multiplied.output(0)) continue;
      for (const Use& reader : graph.value(*multiplied.output(0)).uses)
        readers.emplace(graph.node(reader.node).name,
                        "channels of '" + name + "' are far from even, and a Mul in front evens them out");
    }
  }
  return readers;
}

Change find_ruined(const Attempt& attempt) {
  const Prepared& prepared = attempt.prepared;
  const Recipe& recipe = prepared.recipe;
  if (recipe.placement.residual == PlacementOptions::Residual::Quantize || recipe.target->engine.whole_graph) return {};
  auto ruined = ruined_readers(prepared.graph(), prepared.plan, recipe.placement, attempt.measured.calibration,
                               recipe.overrides, recipe.format.range_kind());
  if (recipe.placement.ruined_products_dynamic) ruined.merge(readers_of_branches(prepared));
  if (ruined.empty()) return {};
  Change change{.kept = recipe.kept};
  change.kept->ruined = std::move(ruined);
  return change;
}

Change find_apart(const Attempt& attempt) {
  const Prepared& prepared = attempt.prepared;
  auto apart = values_apart(prepared.graph(), prepared.plan, attempt.measured.calibration);
  if (apart.empty()) return {};
  Change change{.kept = prepared.recipe.kept};
  change.kept->apart = std::move(apart);
  return change;
}

/// Returns the outlier samples, where ranges are clipped to what the others reach.
const std::set<std::string>& clipped_samples(const Recipe& recipe, const Measured& measured) {
  return recipe.outliers == OutlierPolicy::Clip ? measured.outliers : no_samples();
}

/// Returns how ranges are chosen. All arguments must outlive it.
RangeChoice range_choice(const Prepared& prepared, const Measured& measured, const Calibrator& calibrator) {
  const Recipe& recipe = prepared.recipe;
  return {.graph = prepared.graph(),
          .calibrator = calibrator,
          .overrides = recipe.overrides,
          .kind = recipe.format.range_kind(),
          .threads = worker_count(recipe.run),
          .clipped_samples = clipped_samples(recipe, measured),
          .found = &measured.found};
}

using HalfOf = std::map<ValueId, ValueId>;

/// Returns by value of the FP32 model that `plan` quantizes the value of the 16-bit plan with its numbers; nullopt when
/// one has none.
std::optional<HalfOf> half_values(const Prepared& prepared, const PlacementPlan& plan) {
  HalfOf found;
  const Graph &graph = prepared.graph(), &before = prepared.float32->graph();
  const std::vector<ValueId> quantized = prepared.plan.quantized_values();
  for (const auto& [value, carried] : values_before(graph, before, quantized)) found.try_emplace(carried, value);
  for (const ValueId value : plan.quantized_values()) {
    if (found.contains(value)) continue;
    const MaybeValue same = graph.find_value(before.value(value).name);
    if (!same || !before.value(value).is_constant || std::ranges::count(quantized, *same) == 0) return std::nullopt;
    found.emplace(value, *same);
  }
  return found;
}

/// Answers a question about the 16-bit form by choose_calibrator() of the FP32 model.
ChosenRanges choose_in_float32(const Prepared& prepared, const CalibratorQuestion& question) {
  const Recipe& recipe = prepared.recipe;
  const Graph& before = prepared.float32->graph();
  const ValueShapes shapes = find_shapes(before, read_first_inputs(*question.source, recipe.run));
  const PlacementPlan plan = make_placement_plan(before, *recipe.target, recipe.placement, shapes, recipe.kept);
  const auto half_of = half_values(prepared, plan);
  if (!half_of) return choose_calibrator(question);
  const RangesOf ranges_of = [&](const Calibrator& calibrator) {
    const std::map<ValueId, Range> ranges = question.ranges_of(calibrator);
    std::map<ValueId, Range> moved;
    for (const auto& [value, carried] : *half_of) moved[value] = ranges.at(carried);
    return moved;
  };
  const Calibration calibration = for_values(question.calibration, *half_of);
  ChosenRanges chosen = choose_calibrator({.model = *prepared.float32,
                                           .plan = plan,
                                           .format = question.format,
                                           .calibration = calibration,
                                           .ranges_of = ranges_of,
                                           .source = question.source,
                                           .settings = question.settings,
                                           .effort = question.effort,
                                           .ends_with = question.ends_with,
                                           .clipped = question.clipped});
  chosen.ranges = question.ranges_of(*chosen.calibrator);
  return chosen;
}

/// Returns the file that would be written, with float weights and scales of 1/127. Takes the model out.
Model with_pairs(Prepared& prepared) {
  PlacementPlan pairs = prepared.plan;
  pairs.weights.clear();
  std::map<ValueId, Range> ranges;
  for (const ValueId value : pairs.quantized_values()) ranges[value] = {-1, 1};
  const GraphPatch patch = make_qdq_patch(prepared.graph(), pairs, ranges, prepared.recipe.format).patch;
  Model model = take_model(prepared);
  if (!patch.empty()) apply_patch(model, patch);
  return model;
}

PairVariants variants_of(const Prepared& prepared, RangeBook& ranges, const MeasuredFacts& kept) {
  const Recipe& recipe = prepared.recipe;
  return {prepared.model(), *recipe.target, recipe.placement, prepared.shapes, recipe.format, ranges, kept};
}

/// Returns the ranges of trials before a calibrator is chosen: the user's, or mse.
RangeBook ranges_of_trials(const Attempt& attempt, const Calibrator* given) {
  static const std::unique_ptr<Calibrator> least_error = make_calibrator("mse");
  const Calibrator& used = given ? *given : *least_error;
  return range_book(attempt.prepared, attempt.measured, used, ranges_from(attempt.prepared, attempt.measured)(used));
}

}  // namespace

void announce_values(const Prepared& prepared) {
  SharedPass* pass = prepared.recipe.pass;
  if (!pass || prepared.table) return;
  const std::vector<ValueId> values = prepared.plan.quantized_values();
  const Model& float32 = *prepared.float32;
  pass->announce(float32,
                 prepared.half ? sources_of(values_before(prepared.graph(), float32.graph(), values)) : values);
}

void apply(Change change, Attempt& attempt) {
  auto& [prepared, measured, chosen] = attempt;
  if (change.empty()) return;
  const Unstopped whole;  // in between there is no plan
  if (change.measured) {
    measured.calibration.histograms = std::move(change.measured->histograms);
    measured.calibration.extremes = std::move(change.measured->extremes);
  }
  prepared = changed(std::move(prepared), std::move(change));
  // a layer that is float moves pairs to values that were not measured for the first plan
  measure_missing(measured.calibration, {&prepared.plan, 1},
                  [&](auto values) { return measure_values(prepared, measured.samples, values); });
  restrict_to(prepared.plan, measured.calibration);
}

Attempt measure(Prepared made) {
  Attempt attempt{std::move(made)};
  auto& [prepared, measured, chosen] = attempt;
  measured.samples = prepared.data.get();
  measured.calibration = measure_first(prepared, measured.samples);
  const Unstopped rest;  // without it there is no plan
  apply(find_ruined(attempt), attempt);
  apply(find_apart(attempt), attempt);
  const OutlierPolicy policy = prepared.recipe.outliers;
  measured.outlier_report = find_outlier_samples(measured.calibration);
  measured.outlier_report.policy = name_of(policy);
  measured.outliers = names_of(measured.outlier_report);
  if (policy != OutlierPolicy::Drop || measured.outliers.empty()) return attempt;
  if (prepared.table)
    throw Error(ErrorCode::Usage, "--policy outliers=drop: a table does not keep the histograms of single samples",
                "--policy outliers=clip works with a table; drop needs --data without --table");
  measured.usual = std::make_unique<SampleSubset>(*prepared.data, samples_without(*prepared.data, measured.outliers));
  measured.samples = measured.usual.get();
  measured.calibration = measure_values(prepared, measured.samples, prepared.plan.quantized_values());
  return attempt;
}

Change find_ruinous(const Attempt& attempt, const Calibrator* calibrator) {
  const auto& [prepared, measured, chosen] = attempt;
  const Recipe& recipe = prepared.recipe;
  if (!measured.samples) return {};
  if (recipe.target->engine.whole_graph && !(prepared.plan.type == CodeType::Int8 && recipe.target->has_wide_islands()))
    return {};
  RangeBook ranges = ranges_of_trials(attempt, calibrator);
  PairVariants variants = variants_of(prepared, ranges, recipe.kept);
  KeptFloat found = find_ruinous_layers(variants, *measured.samples, recipe.run);
  if (found.empty()) return {};
  Change change{.kept = recipe.kept, .measured = ranges.calibration()};
  (recipe.target->engine.whole_graph ? change.kept->wide : change.kept->costly).merge(found);
  return change;
}

Change find_fixed_scales(const Attempt& attempt, const Calibrator* calibrator) {
  const auto& [prepared, measured, chosen] = attempt;
  const Recipe& recipe = prepared.recipe;
  if (!recipe.placement.dynamic_products || !measured.samples) return {};
  RangeBook ranges = ranges_of_trials(attempt, calibrator);
  // Values that one scale ruins are ruined whenever it is found.
  const PlacementPlan in_advance = plan_in_advance(variants_of(prepared, ranges, recipe.kept));
  ranges.measure_for({&in_advance, 1});
  MeasuredFacts kept = recipe.kept;
  if (recipe.placement.residual != PlacementOptions::Residual::Quantize)
    kept.ruined.merge(ruined_readers(prepared.graph(), in_advance, recipe.placement, ranges.calibration(),
                                     recipe.overrides, recipe.format.range_kind()));
  PairVariants variants = variants_of(prepared, ranges, kept);
  if (KeptFloat fixed = find_fixed_products(variants, *measured.samples, recipe.run); !fixed.empty())
    kept.fixed = std::move(fixed);
  if (kept == recipe.kept) return {};
  return {.kept = std::move(kept), .measured = ranges.calibration()};
}

bool has_attention_to_try(const Attempt& attempt) {
  return attempt.measured.samples &&
         std::ranges::any_of(attempt.prepared.plan.attention, &AttentionDecision::may_be_int8);
}

Change try_int8_attention(const Attempt& attempt, const Calibrator* calibrator) {
  const auto& [prepared, measured, chosen] = attempt;
  if (!has_attention_to_try(attempt)) return {};
  RangeBook ranges = ranges_of_trials(attempt, calibrator);
  PairVariants variants = variants_of(prepared, ranges, prepared.recipe.kept);
  AttentionTrial trial = find_int8_attention(variants, *measured.samples, prepared.recipe.run);
  Change change{.kept = prepared.recipe.kept, .measured = ranges.calibration()};
  change.kept->int8_attention = std::move(trial.int8);
  change.kept->float_attention = std::move(trial.kept_float);
  return change;
}

Chosen choose_beside_float(Attempt& attempt, std::unique_ptr<Calibrator> calibrator, const ChoiceEffort& effort) {
  const auto& [prepared, measured, before] = attempt;
  std::optional<Change> ruinous;
  const auto finds_ruinous = [&](double highest_db) {
    if (highest_db >= kSurelyEnoughDb) return false;
    if (!ruinous) ruinous = find_ruinous(attempt, nullptr);
    return !ruinous->empty();
  };
  if (calibrator) {
    ruinous = find_ruinous(attempt, calibrator.get());
  } else {
    Chosen chosen = choose(prepared, measured, nullptr, effort, finds_ruinous);
    if (!ruinous || ruinous->empty()) return chosen;
  }
  apply(std::move(*ruinous), attempt);
  return choose(prepared, measured, std::move(calibrator), effort);
}

PlanReport describe_final_plan(Prepared prepared) {
  if (prepared.recipe.measures && pairs_the_stream(prepared.graph(), prepared.plan, prepared.recipe.placement))
    prepared = measure(std::move(prepared)).prepared;  // keeps readers of ruined values float
  const Recipe& recipe = prepared.recipe;
  name_overruled(prepared.plan, prepared.graph(), recipe.placement, prepared.shapes, recipe.kept);
  PlanReport report = describe_placement(prepared);
  if (const auto& estimate = *recipe.target->engine.estimate)
    report.estimate = estimate(prepared.plan, prepared.graph(), prepared.shapes);
  if (recipe.target->engine.fast_in_half && prepared.plan.type == CodeType::Int8) {
    const auto sizes = named_sizes(prepared.graph(), prepared.shapes);
    add_outlook(with_pairs(prepared).graph(), sizes, report);
  }
  return report;
}

RangesOf ranges_from(const Prepared& prepared, const Measured& measured) {
  const auto known = std::make_shared<std::map<std::string, std::map<ValueId, Range>>>();
  return [&prepared, &measured, known](const Calibrator& calibrator) {
    const auto [entry, added] = known->try_emplace(calibrator.name());
    if (added)
      entry->second = choose_ranges(prepared.plan, measured.calibration, range_choice(prepared, measured, calibrator));
    return entry->second;
  };
}

RangeBook range_book(const Prepared& prepared, const Measured& measured, const Calibrator& calibrator,
                     const std::map<ValueId, Range>& ranges, std::optional<RangeKind> kind) {
  const auto more = [&prepared, &measured](std::span<const ValueId> values) {
    return measure_values(prepared, measured.samples, values);
  };
  RangeChoice choice = range_choice(prepared, measured, calibrator);
  const RangeKind usual = std::exchange(choice.kind, kind.value_or(choice.kind));
  return {measured.calibration, choice, more,
          choice.kind == usual ? known_ranges(prepared.plan, ranges) : KnownRanges{}};
}

Chosen choose(const Prepared& prepared, const Measured& measured, std::unique_ptr<Calibrator> calibrator,
              const ChoiceEffort& effort, const EndsWith& ends_with) {
  const Recipe& recipe = prepared.recipe;
  const RangesOf ranges_of = ranges_from(prepared, measured);
  if (calibrator) {
    auto ranges = ranges_of(*calibrator);
    return {{std::move(calibrator), std::move(ranges), std::nullopt}, recipe.format};
  }
  const CalibratorQuestion question{.model = prepared.model(),
                                    .plan = prepared.plan,
                                    .format = recipe.format,
                                    .calibration = measured.calibration,
                                    .ranges_of = ranges_of,
                                    .source = measured.samples,
                                    .settings = recipe.run,
                                    .effort = effort,
                                    .ends_with = ends_with,
                                    .clipped = clipped_samples(recipe, measured)};
  const bool half = prepared.half && prepared.data;
  return {half ? choose_in_float32(prepared, question) : choose_calibrator(question), recipe.format};
}

Model model_of(const Prepared& prepared, const Chosen& chosen) {
  return quantized_model(prepared.model(), prepared.plan, chosen.ranges, chosen.format, chosen.constants);
}

std::unique_ptr<Calibrator> named_calibrator(const std::string& spec) {
  return is_auto(spec) ? nullptr : make_calibrator(spec);
}

}  // namespace detent
