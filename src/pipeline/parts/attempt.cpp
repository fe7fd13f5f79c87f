#include "pipeline/parts/attempt.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "calibrate/outlier_samples.h"
#include "core/text.h"
#include "pipeline/parts/improve.h"
#include "rewrite/quantized_model.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"
#include "tune/equalize/request.h"

namespace detent {

namespace {

/// A step of `quantize` between the plan and the file. It reads what those before it left, and changes the attempt.
/// (The bound and the search by latency follow: pipeline/quantize_model.cpp.)
struct AttemptStep {
  enum class Part : uint8_t {
    Start,  ///< of each attempt, with the effort of Balanced, so that Best begins with the default's result
    Rest    ///< changes the attempt where accept_change() finds it better
  };
  Part part;
  bool (*applies)(const Attempt& attempt, const QuantizeOptions& given);
  void (*take)(Attempt& attempt, const QuantizeOptions& given);
};

void take_steps(Attempt& attempt, const QuantizeOptions& given, AttemptStep::Part part);

using Mode = EqualizeRequest::Mode;

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

ChoiceEffort effort_of(const QuantizeOptions& given, bool thorough) {
  return {thorough, std::string(given.calibrator.empty() ? kSafeCalibrator : "")};
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

/// Adds the line of `--accuracy best`.
void add_equalization_step(Attempt& attempt, const EqualizeReport& evened, const AcceptanceReport& judgement) {
  const std::string values = evened.values.empty() ? "nothing" : plural(evened.values.size(), "value");
  attempt.chosen.steps.push_back({judgement, "equalization", values});
  attempt.chosen.steps.back().seconds = evened.seconds + judgement.seconds;
}

/// Takes the thorough choice of a calibrator where it is no worse.
void choose_thoroughly(Attempt& start, const QuantizeOptions& given) {
  const Prepared& prepared = start.prepared;
  Chosen other = choose(prepared, start.measured, nullptr, effort_of(given, true));
  if (other.ranges == start.chosen.ranges) {
    start.chosen.measurement = std::move(other.measurement);  // of more samples
    return;
  }
  const auto judgement = judged(
      start, [&] { return written_model(start); }, [&] { return model_of(prepared, other); }, given.run);
  if (!judgement.kept) return;
  other.steps = std::move(start.chosen.steps);
  start.chosen = std::move(other);
}

/// Tries `--equalize auto`, beside the layers that the start keeps float.
void even_out(Attempt& start, const QuantizeOptions& given) {
  Recipe recipe = start.prepared.recipe;
  recipe.equalize = parse_equalize(with_level(given).equalize.equalize);
  recipe.pass = nullptr;  // it measured another model
  Attempt other{copy_without_model(start.prepared)};
  release_model(start.prepared);
  other.prepared = make(std::move(recipe), std::move(other.prepared));
  const bool best = given.accuracy == Accuracy::Best;
  AcceptanceReport judgement;
  judgement.reason = "no family gains";
  EqualizeReport evened = *other.prepared.equalize_report();
  const bool found = !other.prepared.equalized->equalization.empty();
  if (found) take_steps(other, given, AttemptStep::Part::Start);
  remake(start.prepared, [](Recipe&) {});
  if (found)
    judgement = judged(
        start, [&] { return written_model(start); }, [&] { return written_model(other); }, given.run);
  Attempt& kept = judgement.kept ? other : start;
  if (!judgement.kept && (!start.prepared.equalized || start.prepared.equalized->equalization.empty()))
    start.prepared.equalized = not_kept(std::move(*other.prepared.equalized), judgement);
  if (best) add_equalization_step(kept, evened, judgement);
  if (judgement.kept) start = std::move(other);
}

void measure_values_of_plan(Attempt& attempt, const QuantizeOptions&) { attempt.measured = measure(attempt.prepared); }

void find_scales_in_advance(Attempt& attempt, const QuantizeOptions& given) {
  fix_products(attempt.prepared, attempt.measured, named_calibrator(with_level(given).calibrator).get());
}

void choose_ranges_alone(Attempt& attempt, const QuantizeOptions& given) {
  attempt.chosen = choose(attempt.prepared, attempt.measured, named_calibrator(with_level(given).calibrator),
                          effort_of(given, false));
}

void choose_ranges_beside_float(Attempt& attempt, const QuantizeOptions& given) {
  attempt.chosen = choose_beside_float(attempt.prepared, attempt.measured,
                                       named_calibrator(with_level(given).calibrator), effort_of(given, false));
}

/// Improves the choice; for Best only where the whole is no worse than its start.
void improve_choice(Attempt& attempt, const QuantizeOptions& given) {
  const QuantizeOptions options = with_level(given);
  if (options.accuracy != Accuracy::Best || !attempt.measured.samples)
    return improve(attempt.chosen, options, attempt.prepared, attempt.measured);
  Chosen& chosen = attempt.chosen;
  const auto steps = static_cast<std::ptrdiff_t>(chosen.steps.size());
  const auto before = std::tuple(chosen.ranges, chosen.format, chosen.constants, chosen.biases);
  improve(chosen, options, attempt.prepared, attempt.measured);
  const std::span<AccuracyReport::Step> taken(chosen.steps.begin() + steps, chosen.steps.end());
  if (std::ranges::none_of(taken, &AccuracyReport::Step::kept)) return;
  const Prepared& prepared = attempt.prepared;
  const auto written_before = [&] {
    const auto& [ranges, format, constants, biases] = before;
    return quantized_model(prepared.model(), prepared.plan, ranges, format, constants);
  };
  const auto judgement = judged(
      attempt, written_before, [&] { return written_model(attempt); }, options.run);
  if (judgement.kept) return;
  for (AccuracyReport::Step& step : taken)
    if (step.kept) step.kept = false, step.reason = "all steps together: " + judgement.reason;
  std::tie(chosen.ranges, chosen.format, chosen.constants, chosen.biases) = before;
}

bool always(const Attempt&, const QuantizeOptions&) { return true; }
bool is_fast(const Attempt&, const QuantizeOptions& given) { return given.accuracy == Accuracy::Fast; }
bool is_thorough(const Attempt& attempt, const QuantizeOptions& given) { return !is_fast(attempt, given); }
bool evens_out(const Attempt&, const QuantizeOptions& given) { return equalizes_later(with_level(given)); }
bool chooses_again(const Attempt& attempt, const QuantizeOptions& given) {
  return given.accuracy == Accuracy::Best && attempt.measured.samples && is_auto(with_level(given).calibrator);
}

using enum AttemptStep::Part;
constexpr AttemptStep kSteps[] = {
    {Start, always, measure_values_of_plan},  // and readers of ruined values become float, scales stay apart
    {Start, is_thorough, find_scales_in_advance},
    {Start, is_fast, choose_ranges_alone},
    {Start, is_thorough, choose_ranges_beside_float},  // of the layers that ruin the network
    {Rest, evens_out, even_out},
    {Rest, chooses_again, choose_thoroughly},
    {Rest, always, improve_choice},  // ranges, first layers, weights, biases
};

void take_steps(Attempt& attempt, const QuantizeOptions& given, AttemptStep::Part part) {
  for (const AttemptStep& step : kSteps)
    if (step.part == part && step.applies(attempt, given)) step.take(attempt, given);
}

}  // namespace

bool equalizes_later(const QuantizeOptions& options) {
  const bool whole = options.stop_after != StopAfter::Prepare && options.stop_after != StopAfter::Plan;
  return whole && options.table.empty() && parse_equalize(options.equalize.equalize).mode == Mode::Auto;
}

Attempt begin_attempt(Prepared prepared, const QuantizeOptions& given) {
  Attempt attempt{std::move(prepared)};
  take_steps(attempt, given, AttemptStep::Part::Start);
  return attempt;
}

void improve_attempt(Attempt& attempt, const QuantizeOptions& given) {
  take_steps(attempt, given, AttemptStep::Part::Rest);
}

}  // namespace detent
