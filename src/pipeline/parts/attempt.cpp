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
#include "run/sample_subset.h"
#include "tune/acceptance.h"
#include "tune/equalize/request.h"

namespace detent {

namespace {

constexpr size_t kJudgingSamples = 64;

using Mode = EqualizeRequest::Mode;

Model written_model(const Attempt& attempt) {
  const Prepared& prepared = attempt.prepared;
  const Chosen& chosen = attempt.chosen;
  return quantized_model(prepared.model(), prepared.plan, chosen.ranges, chosen.format, chosen.constants);
}

AcceptanceReport judged(const Attempt& start, const std::function<Model()>& before, const std::function<Model()>& after,
                        const RunSettings& run) {
  const DataSource& all = *start.measured.samples;
  const std::vector<std::string> extremes = samples_of_extremes(
      start.measured.calibration, kMostExtremes,
      start.prepared.recipe.outliers == OutlierPolicy::Clip ? start.measured.outliers : no_samples());
  const SampleSubset samples(all, samples_by_hash(all, kJudgingSamples, {extremes.begin(), extremes.end()}));
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
  const auto with = [&](const Chosen& chosen) {
    return quantized_model(prepared.model(), prepared.plan, chosen.ranges, chosen.format);
  };
  if (!judged(
           start, [&] { return with(start.chosen); }, [&] { return with(other); }, given.run)
           .kept)
    return;
  other.steps = std::move(start.chosen.steps);
  start.chosen = std::move(other);
}

/// Tries `--equalize auto`. Returns the better attempt.
Attempt even_out(Attempt start, const QuantizeOptions& given) {
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
  if (found) other = begin_attempt(std::move(other.prepared), given);
  remake(start.prepared, [](Recipe&) {});
  if (found)
    judgement = judged(
        start, [&] { return written_model(start); }, [&] { return written_model(other); }, given.run);
  Attempt& kept = judgement.kept ? other : start;
  if (!judgement.kept && (!start.prepared.equalized || start.prepared.equalized->equalization.empty()))
    start.prepared.equalized = not_kept(std::move(*other.prepared.equalized), judgement);
  if (best) add_equalization_step(kept, evened, judgement);
  return std::move(kept);
}

}  // namespace

bool equalizes_later(const QuantizeOptions& options) {
  const bool whole = options.stop_after != StopAfter::Prepare && options.stop_after != StopAfter::Plan;
  return whole && options.table.empty() && parse_equalize(options.equalize.equalize).mode == Mode::Auto;
}

Attempt begin_attempt(Prepared prepared, const QuantizeOptions& given) {
  Attempt attempt{std::move(prepared)};
  auto& [made, measured, chosen] = attempt;
  const QuantizeOptions options = with_level(given);
  auto calibrator = named_calibrator(options.calibrator);
  const ChoiceEffort effort = effort_of(given, false);
  measured = measure(made);
  if (options.accuracy != Accuracy::Fast) fix_products(made, measured, calibrator.get());
  chosen = options.accuracy == Accuracy::Fast ? choose(made, measured, std::move(calibrator), effort)
                                              : choose_beside_float(made, measured, std::move(calibrator), effort);
  return attempt;
}

Attempt widen_attempt(Attempt start, const QuantizeOptions& given) {
  if (equalizes_later(with_level(given))) start = even_out(std::move(start), given);
  const bool best = given.accuracy == Accuracy::Best && start.measured.samples;
  if (best && is_auto(with_level(given).calibrator)) choose_thoroughly(start, given);
  return start;
}

void improve_attempt(Attempt& attempt, const QuantizeOptions& given) {
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

}  // namespace detent
