#include "pipeline/quantize_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "calibrate/outlier_samples.h"
#include "core/process/early_end.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "pipeline/latency/search_by_latency.h"
#include "pipeline/parts/early_result.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"
#include "tune/correct_biases.h"
#include "tune/equalize/request.h"
#include "tune/keep_layers_float.h"
#include "tune/refine/refine_ranges.h"
#include "tune/refine/round_weights.h"
#include "tune/refine/uint8_weights.h"

namespace detent {

namespace {

enum class Phase : uint8_t {
  Start,   ///< what the default does without families of channels: a thorough level begins with its result
  Improve  ///< judged against the start
};

void take_start(QuantizeWork& work);

Model written_model(const Attempt& attempt) { return model_of(attempt.prepared, attempt.chosen); }

AcceptanceReport judged(const Attempt& start, const std::function<Model()>& before, const std::function<Model()>& after,
                        const RunSettings& run) {
  const DataSource& all = *start.measured.samples;
  const std::vector<std::string> extremes = samples_of_extremes(
      start.measured.calibration, kMostExtremes,
      start.prepared.recipe.outliers == OutlierPolicy::Clip ? start.measured.outliers : no_samples());
  const SampleSubset samples(all, samples_by_hash(all, kJudgedSamples, {extremes.begin(), extremes.end()}));
  return judge_change({*start.prepared.float32, before, after, samples, run, "comparing with the default's result"});
}

ChoiceEffort effort_of(const QuantizeWork& work, bool thorough) {
  return {thorough, std::string(work.given.calibrator.empty() ? kSafeCalibrator : "")};
}

bool lists_steps(const QuantizeWork& work) { return level_of(work.given.accuracy).thorough; }

void add_step(QuantizeWork& work, const char* name, size_t changed, size_t of, const char* what,
              const MeasuredChange& step) {
  work.attempt.chosen.steps.push_back({step, name, fmt::format("{} of {} {}", changed, of, what)});
}

size_t quantized_layers(const QuantizeWork& work) {
  return static_cast<size_t>(work.attempt.prepared.plan.coverage.int8_layers);
}

// ---- The steps ----

void measure_plan(QuantizeWork& work) { work.attempt = measure(std::move(work.attempt.prepared)); }

void fix_scales(QuantizeWork& work) {
  apply(find_fixed_scales(work.attempt, named_calibrator(work.options.calibrator).get()), work.attempt);
}

void choose_attention(QuantizeWork& work) {
  apply(try_int8_attention(work.attempt, named_calibrator(work.options.calibrator).get()), work.attempt);
}

void choose_ranges(QuantizeWork& work) {
  auto& [prepared, measured, chosen] = work.attempt;
  chosen = choose(prepared, measured, named_calibrator(work.options.calibrator), effort_of(work, false));
}

void choose_beside_ruinous(QuantizeWork& work) {
  Attempt& attempt = work.attempt;
  attempt.chosen = choose_beside_float(attempt, named_calibrator(work.options.calibrator), effort_of(work, false));
}

void warn_of_tail(QuantizeWork& work) {
  warn_of_unsupported_tail(work.attempt.prepared.graph(), *work.options.run.reporter);
}

/// Reports an equalization that is not written.
EqualizedModel not_kept(EqualizedModel tried, const AcceptanceReport& judgement) {
  tried.equalization = {};
  tried.report.values.clear();
  tried.report.kept = false;
  tried.report.reason = judgement.reason;
  tried.report.acceptance = judgement;
  for (EqualizeReport::Family& family : tried.report.families)
    if (family.kept) family.kept = false, family.reason = "beside the default's result: " + judgement.reason;
  return tried;
}

/// Makes the model again if a step released it.
void restore_model(Prepared& prepared) {
  const Unstopped whole;
  if (!prepared.float32) prepared = changed(std::move(prepared));
}

/// Tries `--equalize auto`, beside the layers that the start keeps float. The start's model is not held meanwhile.
void even_out(QuantizeWork& work) {
  Attempt& start = work.attempt;
  Recipe recipe = start.prepared.recipe;
  recipe.equalize = parse_equalize(work.options.equalize.equalize);
  recipe.pass = nullptr;  // it measured another model
  QuantizeWork other{work.given, work.options, {copy_without_model(start.prepared)}};
  release_model(start.prepared);
  Prepared& evened = other.attempt.prepared;
  evened = make(std::move(recipe), std::move(evened));
  AcceptanceReport judgement;
  judgement.reason = "no family gains";
  const EqualizeReport report = *evened.equalize_report();
  const bool found = !evened.equalized->equalization.empty();
  if (found) take_start(other);
  restore_model(start.prepared);
  if (found)
    judgement = judged(
        start, [&] { return written_model(start); }, [&] { return written_model(other.attempt); }, work.given.run);
  if (!judgement.kept && (!start.prepared.equalized || start.prepared.equalized->equalization.empty()))
    start.prepared.equalized = not_kept(std::move(*evened.equalized), judgement);
  if (judgement.kept) start = std::move(other.attempt);
  if (!lists_steps(work)) return;
  const std::string values = report.values.empty() ? "nothing" : plural(report.values.size(), "value");
  start.chosen.steps.push_back({judgement, "equalization", values});
  start.chosen.steps.back().seconds = report.seconds + judgement.seconds;
}

/// Takes the thorough choice of a calibrator where it is no worse.
void choose_thoroughly(QuantizeWork& work) {
  Attempt& start = work.attempt;
  Chosen other = choose(start.prepared, start.measured, nullptr, effort_of(work, true));
  if (other.ranges == start.chosen.ranges) {
    start.chosen.measurement = std::move(other.measurement);  // of more samples
    return;
  }
  const auto judgement = judged(
      start, [&] { return written_model(start); }, [&] { return model_of(start.prepared, other); }, work.given.run);
  if (!judgement.kept) return;
  other.steps = std::move(start.chosen.steps);
  start.chosen = std::move(other);
}

void note_start(QuantizeWork& work) { work.start = work.attempt.chosen; }

void choose_single_ranges(QuantizeWork& work) {
  auto& [prepared, measured, chosen] = work.attempt;
  const RangesOf ranges_of = ranges_from(prepared, measured);
  RefinedRanges refined =
      refine_ranges({prepared.model(), prepared.plan, chosen.format, measured.calibration, prepared.recipe.overrides,
                     chosen, ranges_of, *measured.samples, work.options.run});
  add_step(work, "ranges", refined.changes.size(), refined.values, "ranges", refined);
  chosen.ranges = std::move(refined.ranges);
}

void try_uint8(QuantizeWork& work) {
  auto& [prepared, measured, chosen] = work.attempt;
  const Uint8Weights first = try_uint8_weights(prepared.model(), prepared.plan, chosen.ranges, chosen.format,
                                               *measured.samples, work.options.run);
  add_step(work, "uint8 weights", first.names.size(), first.layers, "first layers", first);
  chosen.format.uint8_weights = first.names;
}

void round_by_inputs(QuantizeWork& work) {
  auto& [prepared, measured, chosen] = work.attempt;
  WeightRounding weights =
      round_weights(prepared.model(), prepared.plan, chosen.ranges, chosen.format, measured.samples, work.options.run);
  add_step(work, "weights", weights.report.weights, quantized_layers(work), "layers' weights", weights.report);
  chosen.constants = std::move(weights.patch);
  chosen.format.weight_scales = std::move(weights.scales);
}

void correct_means(QuantizeWork& work) {
  auto& [prepared, measured, chosen] = work.attempt;
  BiasCorrection biases = correct_biases(prepared.model(), prepared.plan, chosen.ranges, chosen.format,
                                         measured.samples, work.options.run, chosen.constants);
  if (lists_steps(work))
    add_step(work, "biases", biases.report.layers, quantized_layers(work), "layers' biases", biases.report);
  chosen.biases = std::move(biases.report);
  chosen.constants = joined(chosen.constants, biases.patch);
}

/// Takes back what was done since note_start() where all together is worse.
void undo_worse(QuantizeWork& work) {
  Attempt& attempt = work.attempt;
  std::vector<AccuracyReport::Step>& steps = attempt.chosen.steps;
  const std::span<AccuracyReport::Step> taken = std::span(steps).subspan(work.start->steps.size());
  if (std::ranges::none_of(taken, &AccuracyReport::Step::kept)) return;
  const auto before = [&] { return model_of(attempt.prepared, *work.start); };
  const auto judgement = judged(
      attempt, before, [&] { return written_model(attempt); }, work.options.run);
  if (judgement.kept) return;
  for (AccuracyReport::Step& step : taken)
    if (step.kept) step.kept = false, step.reason = "all steps together: " + judgement.reason;
  work.start->steps = std::move(steps);
  attempt.chosen = std::move(*work.start);
}

/// Keeps layers float until the bound is met.
void hold_bound(QuantizeWork& work) {
  auto& [prepared, measured, chosen] = work.attempt;
  const Recipe& recipe = prepared.recipe;
  RangeBook book = range_book(prepared, measured, *chosen.calibrator, chosen.ranges);
  Model improved = prepared.model().clone();
  if (!chosen.constants.empty()) apply_patch(improved, chosen.constants);
  PairVariants variants(improved, *recipe.target, recipe.placement, prepared.shapes, chosen.format, book, recipe.kept);
  BoundedPlan bounded = keep_layers_float({variants, improved, *work.judge, recipe.run});
  MeasuredFacts kept = recipe.kept;
  (kept.*variants.kept_as()).merge(bounded.kept);
  const Unstopped whole;
  prepared = changed(std::move(prepared), {.kept = std::move(kept)});
  chosen.ranges = book.ranges_of(prepared.plan);
  work.bound = std::move(bounded.report);
}

/// Looks for the fastest pairs within the accuracy, or for a file without any.
void take_fastest(QuantizeWork& work) {
  const BoundJudge* judge = work.has_bound() ? work.judge : nullptr;
  FastestFile fastest = find_fastest(work.attempt, work.given, *work.timer, judge);
  work.latency = std::move(fastest.report);
  work.without_pairs = std::move(fastest.without_pairs);
  if (!fastest.variant) return;
  const Unstopped whole;
  work.given = fastest.variant->options;
  work.options = with_level(work.given);
  take_variant(work.attempt, std::move(*fastest.variant), std::move(fastest.ranges));
}

// ---- Their conditions ----

bool always(const QuantizeWork&) { return true; }
bool has_samples(const QuantizeWork& work) { return work.attempt.measured.samples != nullptr; }
bool scales_at_run_time(const QuantizeWork& work) {
  return work.attempt.prepared.recipe.placement.dynamic_products && has_samples(work);
}
bool tries_attention(const QuantizeWork& work) { return has_attention_to_try(work.attempt); }
bool evens_out(const QuantizeWork& work) { return equalizes_later(work.options); }
bool measures_calibrators(const QuantizeWork& work) { return has_samples(work) && is_auto(work.options.calibrator); }
bool may_saturate(const QuantizeWork& work) {
  const RewriteOptions& format = work.attempt.chosen.format;
  return has_samples(work) && format.saturation == RewriteOptions::Saturation::Avoided && !format.narrow_weights;
}
/// TensorRT chooses the scales of weights itself where a cache has only those of activations.
bool rounds_weights(const QuantizeWork& work) {
  return has_samples(work) && work.attempt.prepared.recipe.target->engine.takes_pairs &&
         level_of(work.given.accuracy).rounds_weights_of(work.options.placement.type);
}
bool corrects_biases(const QuantizeWork& work) { return work.options.equalize.bias_correction.value_or(false); }
bool has_bound(const QuantizeWork& work) { return work.has_bound(); }
bool has_timer(const QuantizeWork& work) { return work.timer != nullptr; }

/// The fate of a step when the work ends early (EarlyEnd).
enum class AtEnd : uint8_t {
  Left,      ///< it is left out, and what it began is dropped
  InTime,    ///< an interruption leaves it out; behind a time limit it is taken, in its shortest form
  Finishes,  ///< it is taken all the same, in its shortest form
};

/// A step of `quantize` between the plan and the file: it reads what those before it left, and changes the work.
struct QuantizeStep {
  Phase phase;
  unsigned levels;   ///< of --accuracy that take it
  const char* name;  ///< for progress, and where it was left out; "": it is a part of others
  bool (*applies)(const QuantizeWork& work);
  void (*take)(QuantizeWork& work);
  AtEnd at_end = AtEnd::Left;
};

constexpr unsigned bit_of(Accuracy level) { return 1U << static_cast<unsigned>(level); }
constexpr unsigned kFast = bit_of(Accuracy::Fast), kBest = bit_of(Accuracy::Best);
constexpr unsigned kMeasuring = bit_of(Accuracy::Balanced) | kBest, kAll = kFast | kMeasuring;

using enum Phase;
using enum AtEnd;
constexpr QuantizeStep kSteps[] = {
    // readers of ruined values become float, scales stay apart
    {Start, kAll, "measuring values", always, measure_plan, Finishes},
    {Start, kMeasuring, "scales in advance", scales_at_run_time, fix_scales},
    {Start, kMeasuring, "attention", tries_attention, choose_attention},
    {Start, kFast, "ranges", always, choose_ranges},
    // layers that ruin the network become float
    {Start, kMeasuring, "calibrator and ruinous layers", always, choose_beside_ruinous},
    {Improve, kAll, "", always, warn_of_tail, Finishes},
    {Improve, kAll, "equalization", evens_out, even_out},
    {Improve, kBest, "calibrator on more samples", measures_calibrators, choose_thoroughly},
    {Improve, kBest, "", has_samples, note_start},
    {Improve, kBest, "single ranges", has_samples, choose_single_ranges},
    {Improve, kBest, "UINT8 weights", may_saturate, try_uint8},
    {Improve, kMeasuring, "rounding of weights", rounds_weights, round_by_inputs},
    {Improve, kAll, "biases", corrects_biases, correct_means},
    {Improve, kBest, "all steps together", has_samples, undo_worse},
    {Improve, kAll, "bound", has_bound, hold_bound, InTime},
    {Improve, kAll, "latency", has_timer, take_fastest},
};

std::vector<const QuantizeStep*> steps_of(const QuantizeWork& work) {
  const unsigned level = bit_of(work.given.accuracy);
  std::vector<const QuantizeStep*> steps;
  for (const QuantizeStep& step : kSteps)
    if ((step.levels & level) != 0) steps.push_back(&step);
  return steps;
}

/// Takes the steps of the start, for a part of the work.
void take_start(QuantizeWork& work) {
  for (const QuantizeStep* step : steps_of(work))
    if (step->phase == Start && step->applies(work)) step->take(work);
}

bool is_shown(const QuantizeStep& step) { return *step.name != '\0'; }

bool is_left_out(const QuantizeStep& step) {
  if (!is_ending_early() || step.at_end == Finishes) return false;
  return step.at_end == Left || EarlyEnd::current()->reason() == EarlyEnd::Reason::Interruption;
}

/// Takes one step; one that ends early leaves the work as it was.
void take_step(const QuantizeStep& step, QuantizeWork& work) {
  if (is_left_out(step)) {
    if (is_shown(step)) work.ended.left_out.emplace_back(step.name);
    return;
  }
  try {
    step.take(work);
  } catch (const Error& error) {
    const bool keeps_fastest = work.timer && interrupted() && !work.timer->kept.file.empty();  // write_kept() does
    if (keeps_fastest || !ends_early(error)) throw;
    restore_model(work.attempt.prepared);
    work.ended.left_out.emplace_back(step.name);
  }
}

/// Chooses ranges without measuring anything, where the time did not suffice for a choice.
void choose_at_once(QuantizeWork& work) {
  auto& [prepared, measured, chosen] = work.attempt;
  const std::string& named = work.options.calibrator;
  chosen = choose(prepared, measured, make_calibrator(is_auto(named) ? kSafeCalibrator : named));
}

}  // namespace

bool equalizes_later(const QuantizeOptions& options) {
  const bool whole = options.stop_after != StopAfter::Prepare && options.stop_after != StopAfter::Plan;
  return whole && options.table.empty() &&
         parse_equalize(options.equalize.equalize).mode == EqualizeRequest::Mode::Auto;
}

void take_steps(QuantizeWork& work) {
  const std::vector<const QuantizeStep*> steps = steps_of(work);
  const auto count =
      static_cast<size_t>(std::ranges::count_if(steps, [](const auto* step) { return is_shown(*step); }));
  if (EarlyEnd* const early = EarlyEnd::current()) early->begin();
  Phase phase = Start;
  size_t number = 0;
  for (const QuantizeStep* step : steps) {
    if (phase == Start && step->phase == Improve && !work.attempt.chosen.calibrator) choose_at_once(work);
    phase = step->phase;
    if (is_shown(*step)) work.options.run.reporter->step(++number, count, step->name);
    if (step->applies(work)) take_step(*step, work);
    // Once the values are measured there is a file to write, until a search by latency has a fastest one.
    if (step == steps.front())
      work.ended.finishing = take_interruptions(work.given.output.string() + " is written with what was found so far");
  }
}

}  // namespace detent
