#include "pipeline/quantize_model.h"

#include <map>
#include <utility>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "core/files/atomic_file.h"
#include "core/files/output_set.h"
#include "core/process/early_end.h"
#include "core/stop.h"
#include "detent/base/error.h"
#include "detent/output_files.h"
#include "evaluate/judge.h"
#include "options/command_inputs.h"
#include "options/groups.h"
#include "pipeline/engines/dla/dla_files.h"
#include "pipeline/latency/latency_timer.h"
#include "pipeline/latency/latency_variants.h"
#include "pipeline/parts/accuracy_level.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/closing_samples.h"
#include "pipeline/parts/detection_pictures.h"
#include "pipeline/parts/input_check.h"
#include "pipeline/parts/pipeline_files.h"
#include "pipeline/parts/quantize_report.h"
#include "pipeline/parts/rewritten_model.h"
#include "pipeline/parts/saturation.h"
#include "pipeline/parts/verdict.h"
#include "pipeline/parts/written_file.h"
#include "pipeline/quantize_steps.h"
#include "place/make_plan.h"
#include "prepare/read_model_to_run.h"
#include "run/samples_together.h"
#include "tune/keep_nodes_float32.h"
#include "tune/score_interval.h"

namespace detent {

namespace {

/// Returns the nodes to keep in FP32 where the 16-bit form leaves INT8 no room in the bound.
Change find_room(const Prepared& prepared, const BoundJudge& judge) {
  const HalfForm& half = *prepared.half;
  return {.float32 = keep_nodes_float32({*prepared.float32, half.format, half.reaches, judge, prepared.recipe.run})};
}

/// Puts the pairs of the plan into the model; adds the values that have one to the report.
RewrittenModel rewrite(Prepared& prepared, const Measured& measured, const Chosen& chosen, QuantizeReport& report) {
  std::vector<std::string> unseen;
  RewrittenModel written = rewritten(take_model(prepared), request_of(prepared, chosen), report.provenance,
                                     [&](const Graph& graph, const Rewrite& made) {
                                       add_values(report, graph, made, measured, chosen);
                                       if (report.samples > 0) unseen = unseen_values(graph, made);
                                     });
  written.unseen = std::move(unseen);
  return written;
}

QuantizeReport stopped_at(const QuantizeOptions& options, PlanReport plan = {}) {
  QuantizeReport report;
  report.model = options.model.string(), report.output = options.output.string();
  report.plan = std::move(plan);
  return report;
}

QuantizeReport stopped_at(const Model& model, const QuantizeOptions& options) {
  write_model(model, options.output, write_options(options.overwrite, options.external_data));
  return stopped_at(options);
}

QuantizeReport stopped_at_ranges(const Graph& graph, const Chosen& chosen, const QuantizeOptions& options) {
  std::map<std::string, Range> by_name;
  for (const auto& [value, range] : chosen.ranges) by_name[graph.value(value).name] = range;
  write_file(options.output, format_overrides(by_name), options.overwrite);
  return stopped_at(options);
}

/// The closing error with exact products, and with products that saturate, where some can.
struct Closing {
  std::optional<ClosingError> exact, saturated;
};

Closing measure_closing(const RewrittenModel& written, const ClosingSamples& closing_on, const QuantizeOptions& options,
                        const RewriteOptions& format, const Calibration& calibration, QuantizeReport& report) {
  Closing closing{closing_on.error_of(written.model, options.run), std::nullopt};
  report.saturation = describe_saturation(format, written.rewrite.paired);
  if (!closing.exact) return closing;
  report.error = closing.exact->report, report.error_source = closing_on.text(calibration.identities);
  report.outputs = closing.exact->outputs;
  if (written.rewrite.paired.unsafe_pairs == 0) return closing;
  closing.saturated = closing_on.error_of(written.model, without_vnni(options.run));
  report.saturation->error = closing.saturated->report;
  return closing;
}

/// Returns the ranks of all values.
std::map<std::string, size_t> ranks_of(const Prepared& prepared) {
  std::map<std::string, size_t> ranks;
  for (const auto& [value, shape] : prepared.shapes) ranks.emplace(prepared.graph().value(value).name, shape.rank());
  return ranks;
}

/// Writes the float model, its calibration cache and trtexec's arguments.
void write_implicit(const Model& model, const Prepared& prepared, const Chosen& chosen, const QuantizeOptions& options,
                    QuantizeReport& report) {
  OutputSet together;
  write_quantized(model, prepared.facts, options, report);
  report.dla = write_dla_files(model.graph(), prepared.plan, chosen, options.output, dla_paths(options.output),
                               options.overwrite);
  together.commit();
  report.notes.insert(report.notes.begin(), dla_note(*report.dla));
}

/// Returns the float model of the recipe with the constants that were improved, for a target that takes it so.
std::optional<Model> implicit_model(const Prepared& prepared, const Chosen& chosen) {
  if (prepared.recipe.target->engine.takes_pairs) return std::nullopt;
  Model model = prepared.model().clone();
  if (!chosen.constants.empty()) apply_patch(model, chosen.constants);
  return model;
}

/// Returns pictures of the samples of the closing error; nullopt where the model is no detector.
std::optional<DetectionPictures> picture_closing(Closing& closing, const ClosingSamples& closing_on,
                                                 const Recipe& recipe) {
  if (!closing.exact || closing.exact->shown.empty()) return std::nullopt;
  const SampleRequest& judged = recipe.eval.given() ? recipe.eval : recipe.data;
  return picture_detections(std::move(closing.exact->shown), {*closing_on.source, judged.preprocess.images});
}

/// Describes what the file reaches that a search by latency chose.
void judge_again(BoundReport& bound, const BoundJudge& judge, const Model& model, const RunSettings& run) {
  BoundJudge::Score score = judge.measure({&model, 1}, "scoring").front();
  bound.met = judge.meets(score);
  bound.score = measure_score(judge, model, run);
  bound.reached = score.score, bound.sqnr_db = score.sqnr_db, bound.output = score.output;
  if (!bound.metrics.empty()) bound.metrics = std::move(score.metrics);
  bound.samples_needed.reset();
  conclude(bound, judge);
}

/// Returns the options of the target, of the placement and of the judging that the user gave, as they are typed.
std::string options_that_stay(QuantizeOptions given) {
  QuantizeOptions usual;
  const auto listed = [](QuantizeOptions& of) {
    return list_of(target_option(of.target), placement_options(of.placement),
                   format_options(of.format, CpuOption::Offered), bound_options(of.bound, of.data));
  };
  return typed_changes(listed(given), listed(usual));
}

/// Looks at the float model on pictures; nullopt for other data, and where no verdict follows.
std::optional<InputCheckReport> check_pictures(const QuantizeOptions& options, const Prepared& prepared) {
  const Recipe& recipe = prepared.recipe;
  if (options.stop_after != StopAfter::Nothing) return std::nullopt;
  if (!prepared.data || !recipe.data.preprocess.images || recipe.data.steps || recipe.pipeline) return std::nullopt;
  const bool little = options.accuracy == Accuracy::Fast;
  return check_inputs(*prepared.float32, {options.model.string(), options.data, options_that_stay(options)},
                      recipe.data, options.run, InputCheckEffort::Little,
                      little ? 0 : static_cast<double>(prepared.plan.coverage.macs));
}

QuantizeReport begin_report(QuantizeWork& work) {
  const auto& [prepared, measured, chosen] = work.attempt;
  QuantizeReport report = start_report(work.given, prepared, measured, chosen, std::move(work.bound));
  report.latency = std::move(work.latency);
  report.input_check = std::move(work.input_check);
  report.ended = std::move(work.ended);
  report.ended.reason = early_end_text();
  return report;
}

/// Measures the float or cast model that is faster than every file with pairs, and writes it.
QuantizeReport without_pairs(QuantizeWork& work) {
  auto& [prepared, measured, chosen] = work.attempt;
  const QuantizeOptions& options = work.options;
  ClosingSamples closing_on = closing_samples(options, prepared, measured);
  closing_on.keep_reference(*prepared.float32, options.run);
  prepared.plan = make_float_plan(prepared.graph(), *prepared.recipe.target, prepared.shapes);
  for (LayerDecision& layer : prepared.plan.layers) layer.reason = kFloatIsFaster;
  chosen.ranges.clear();
  QuantizeReport report = begin_report(work);
  report.plan.folded_batchnorms = report.plan.folded_operators = 0;  // the model as it was given
  const Model model = read_float_model(work.without_pairs);
  Closing closing{closing_on.error_of(model, options.run), std::nullopt};
  if (closing.exact)
    report.error = closing.exact->report, report.error_source = closing_on.text(measured.calibration.identities);
  if (report.bound) {
    judge_again(*report.bound, *work.judge, model, options.run);
    report.score = report.bound->score;
  }
  if (work.scores_alone()) report.score = measure_score(*work.judge, model, options.run);
  if (options.pictures) report.detections = picture_closing(closing, closing_on, prepared.recipe);
  report.verdict = judge({.closing = closing.exact.value_or(ClosingError{})});
  write_without_pairs(model, options, report);
  return report;
}

/// before  as of quantize_prepared()
/// timer   of a search by latency; nullptr: none is asked for
QuantizeReport quantize_timed(const QuantizeOptions& asked, Prepared made, const Stopwatch& stopwatch,
                              const QuantizeReport* before, LatencyTimer* timer) {
  QuantizeWork work{.given = asked, .attempt = {std::move(made)}, .timer = timer};
  const QuantizeOptions& options = work.options;
  auto& [prepared, measured, chosen] = work.attempt;
  const SamplesApart apart(options.latency.given() && prepared.recipe.target->engine.runs_qoperators);
  warn_of_few_samples(options, prepared);
  std::shared_ptr<const Model> reference = prepared.float32;  // the judges', whatever else is made
  const auto judge = open_judge(options.bound, prepared.recipe.eval, *reference, prepared.data.get(), options.run,
                                prepared.recipe.data);
  work.judge = judge.get();
  if (work.has_bound() && prepared.half) {
    Change room = find_room(prepared, *judge);
    prepared = changed(std::move(prepared), std::move(room));
  }
  if (options.stop_after == StopAfter::Prepare) return stopped_at(prepared.model(), options);
  if (options.stop_after == StopAfter::Plan) return stopped_at(options, describe_final_plan(std::move(prepared)));

  work.input_check = before ? before->input_check : check_pictures(work.given, prepared);
  // images -> executor -> histograms, or the table that holds them -> ranges -> whatever gains on them
  take_steps(work);
  if (EarlyEnd* const early = EarlyEnd::current()) early->close();
  if (!is_ending_early()) work.ended.finishing.reset();  // a file that was not checked is not kept
  if (!work.without_pairs.empty()) {
    QuantizeReport report = without_pairs(work);
    add_cost(stopwatch, report);
    return report;
  }
  const bool changed = work.bound && work.latency && work.latency->chosen == LatencyChoice::Variant;
  if (!work.scores_alone() && !changed) reference.reset();  // take_model() would copy a model that is shared
  if (options.stop_after == StopAfter::Ranges) return stopped_at_ranges(prepared.graph(), chosen, options);

  // plan + ranges -> Q/DQ model -> closing error -> file -> verdict
  ClosingSamples closing_on = closing_samples(options, prepared, measured);
  closing_on.keep_reference(*prepared.float32, options.run);
  apply_task(closing_on.reference.forms.readings, truth_source(options.bound.evaluation));
  QuantizeReport report = begin_report(work);
  const std::optional<Model> floats = implicit_model(prepared, chosen);
  const auto& pipeline = prepared.recipe.pipeline;
  const auto ranks = pipeline ? ranks_of(prepared) : std::map<std::string, size_t>();  // rewrite() takes the graph
  RewrittenModel written = rewrite(prepared, measured, chosen, report);
  if (options.stop_after == StopAfter::Rewrite) return stopped_at(written.model, options);
  written.check(written.model, options.output);
  PipelineFiles files(options, pipeline);
  if (!files.empty()) files.take(written.model, report.provenance, ranks);
  written.promised.forget_contents();  // the float weights; the file is compared with this graph bit by bit
  files.measure(closing_on, report);
  Closing closing = measure_closing(written, closing_on, options, chosen.format, measured.calibration, report);
  if (changed) judge_again(*report.bound, *judge, written.model, options.run);
  if (work.scores_alone()) report.score = measure_score(*judge, written.model, options.run);
  if (options.pictures) report.detections = picture_closing(closing, closing_on, prepared.recipe);
  const size_t calibrated_with = closing_on.count_read(measured.calibration.identities);
  if (prepared.half && options.format.io == IoType::Same) written.narrow_inputs_and_outputs(prepared.half->format.type);
  if (floats)
    write_implicit(*floats, prepared, chosen, options, report);
  else if (!files.empty())
    files.write(*prepared.recipe.target, report);
  else
    write_quantized(written.model, prepared.facts, options, report,
                    [&](const Model& model) { written.check(model, options.output); });
  add_written(report, floats ? floats->graph() : written.model.graph(), prepared);
  add_verdict(report, options, prepared,
              {worse_of(closing.exact, closing.saturated), closing_on.source.get(), calibrated_with, chosen, measured,
               std::move(written.unseen)});
  if (report.input_check) judge_input(report.verdict, *report.input_check);
  add_cost(stopwatch, report);
  return report;
}

}  // namespace

Recipe checked_recipe(const QuantizeOptions& given, std::optional<PipelineFile> pipeline) {
  const bool writes_files = pipeline && given.stop_after == StopAfter::Nothing;
  std::vector<OutputFile> outputs = writes_files ? outputs_of(*pipeline, given.output) : files_beside(given);
  outputs.push_back({"--output", given.output});
  check_distinct(outputs);
  if (level_of(given.accuracy).thorough && !given.data.given())
    throw Error(ErrorCode::Usage, "--accuracy best needs --data to measure on, which was not given",
                "give --data beside --table, or leave --accuracy out");
  if (!pipeline)
    check_writable(given.output, given.overwrite);
  else if (writes_files)
    check_pipeline_outputs(*pipeline, given.output, given.overwrite);
  if (!find_target(given.target).engine.takes_pairs) {
    check_writable(dla_paths(given.output).cache, given.overwrite);
    check_writable(dla_paths(given.output).arguments, given.overwrite);
  }
  const QuantizeOptions options = with_level(given);
  static_cast<void>(named_calibrator(options.calibrator));  // refuses unknown names
  RequestedSamples samples =
      requested_samples(options.data, &options.bound.evaluation.data, options.run, pipeline ? &*pipeline : nullptr);
  Recipe recipe = recipe_of(options, std::move(samples), {options.calibrator}, std::move(pipeline));
  if (equalizes_later(options)) recipe.equalize = parse_equalize(level_of().equalization_of(options.placement.type));
  if (options.external_data == ExternalData::Never) recipe.one_file = options.output;
  recipe.identify = options.stop_after == StopAfter::Plan && options.data.given();
  return recipe;
}

QuantizeReport quantize_prepared(const QuantizeOptions& given, Prepared made, const Stopwatch& stopwatch,
                                 const QuantizeReport* before) {
  const std::unique_ptr<LatencyTimer> timer = begin_latency(with_level(given));  // a wrong command ends the work here
  try {
    return quantize_timed(given, std::move(made), stopwatch, before, timer.get());
  } catch (const Error& error) {
    if (timer && error.code() == ErrorCode::Interrupted) write_kept(*timer, given);
    throw;
  }
}

QuantizeReport quantize_model(const QuantizeOptions& given) {
  const StopScope stop(given.run.stop);
  const EarlyEnd early(given.run.time_limit);
  QuantizeOptions options = given;
  std::optional<PipelineFile> pipeline = take_pipeline(options);
  const InputFiles protected_inputs = protect_inputs(options), protected_files(sources_of(pipeline));
  const Stopwatch stopwatch;
  // model.onnx -> float graph that the target likes -> placement plan
  return quantize_prepared(options, make(checked_recipe(options, std::move(pipeline))), stopwatch);
}

}  // namespace detent
