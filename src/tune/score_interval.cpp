#include "tune/score_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/mean.h"
#include "detections/average_precision.h"
#include "detent/base/progress.h"
#include "evaluate/error_sums.h"
#include "evaluate/prepared_model.h"
#include "run/workers.h"
#include "tune/moved_scales.h"

namespace detent {

namespace {

bool is_task(const TallyRules& rules) { return !rules.metric.is_error(); }

/// Summarizes the outputs that count.
ErrorReport report_of(const std::vector<ErrorSums>& sums, const TallyRules& rules) {
  std::vector<std::string> names;
  std::vector<ErrorSums> counted;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!rules.comparable[i]) continue;
    names.push_back(rules.names[i]);
    counted.push_back(sums[i]);
  }
  return summarize_errors(names, counted, 0);
}

Tally sum_of(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  Tally sum{std::vector<ErrorSums>(rules.comparable.size()), {}};
  if (!rules.batches)
    for (size_t b = 0; b < batches; ++b) sum += tally[b];
  else
    for (const size_t b : rules.batches->in_source_order(batches)) sum += tally[b];
  return sum;
}

double tallied_metric(const TaskSums& sums, const TallyRules& rules) {
  const auto metrics = sums.metrics();
  const auto found = metrics.find(rules.metric.name);
  return found == metrics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

/// Returns the score of all samples except those of `batch`.
double score_without(const Tally& all, const Tally& batch, const TallyRules& rules) {
  if (is_task(rules)) {
    TaskSums rest = all.task;
    rest -= batch.task;
    return tallied_metric(rest, rules);
  }
  std::vector<ErrorSums> rest = all.errors;
  for (size_t i = 0; i < rest.size(); ++i) {
    rest[i].signal = std::max(0.0, rest[i].signal - batch.errors[i].signal);
    rest[i].noise = std::max(0.0, rest[i].noise - batch.errors[i].noise);
  }
  return worst_sqnr_db(report_of(rest, rules));
}

std::vector<double> precisions_without_one(std::span<const Tally> tally, const TallyRules& rules) {
  std::vector<const MatchedDetections*> parts;
  for (const Tally& batch : tally) parts.push_back(batch.task.detections.scored_by(rules.metric));
  std::vector<double> scores;
  for (const auto& precision : RankedDetections(parts).without_each())
    scores.push_back(precision ? precision->map : std::numeric_limits<double>::quiet_NaN());
  return scores;
}

/// Returns how many labels, objects, tokens or words the task counts; 0: the metric counts none.
double counted_things(const TaskSums& sums, const Metric& metric) {
  if (const MatchedDetections* found = sums.detections.scored_by(metric)) {
    double objects = 0;
    for (const MatchedDetections::Count& count : found->counts) objects += count.objects.front();
    return objects;
  }
  if (metric == metrics::kTop1) return static_cast<double>(sums.labelled);
  if (metric == metrics::kWer) return static_cast<double>(sums.texts.words);
  return metric == metrics::kNextToken ? static_cast<double>(sums.tokens.tokens) : 0;
}

/// Rounds up to two digits.
size_t two_digits(double number) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(number)) - 1));
  return static_cast<size_t>(std::ceil(number / unit) * unit);
}

}  // namespace

BoundJudge::Score score_of(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  const Tally sum = sum_of(tally, batches, rules);
  const ErrorReport error = report_of(sum.errors, rules);
  BoundJudge::Score score;
  score.sqnr_db = worst_sqnr_db(error);
  if (error.outputs.size() > 1) score.output = error.worst;
  score.score = score.sqnr_db;
  if (!is_task(rules)) return score;
  score.fp32 = tallied_metric(sum_of(rules.floats, batches, rules).task, rules);
  score.score = tallied_metric(sum.task, rules);
  return score;
}

std::vector<double> scores_without_one(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  if (batches > 0 && tally.front().task.detections.scored_by(rules.metric))
    return precisions_without_one(std::span(tally).first(batches), rules);
  const Tally all = sum_of(tally, batches, rules);
  std::vector<double> scores;
  for (size_t b = 0; b < batches; ++b) scores.push_back(score_without(all, tally[b], rules));
  return scores;
}

void tally_batches(const JudgedBatches& batches, size_t from, size_t until, const RunSettings& settings,
                   const TalliedRun& run, std::span<ScoreTally* const> tallies, std::vector<bool>& comparable) {
  std::mutex mutex;
  const auto run_one = [&](size_t b, const JudgedBatch& batch, BufferPool& pool) {
    std::vector<bool> here(batches.names().size(), true);
    run(b, batch.inputs, pool, [&](size_t model, std::vector<Tensor>&& outputs) {
      (*tallies[model])[b] = tally_of(batch, batches.names(), batch.counted(std::move(outputs)), batches.task(), here);
    });
    const std::scoped_lock lock(mutex);
    for (size_t i = 0; i < here.size(); ++i) comparable[i] = comparable[i] && here[i];
  };
  size_t done = 0;
  batches.for_each(from, until, settings, run_one, [&](size_t) { settings.reporter->advance_to(++done); });
  settings.reporter->end();
}

ScoreTally tally_of_model(const Model& model, const JudgedBatches& batches, const RunSettings& settings,
                          std::string_view task, std::vector<bool>& comparable) {
  const PreparedModel prepared(model, batches.names(), 1, settings.products);
  ScoreTally tally(batches.size());
  ScoreTally* const all[] = {&tally};
  settings.reporter->begin(task, batches.size());
  tally_batches(
      batches, 0, batches.size(), settings,
      [&](size_t, auto inputs, BufferPool& pool, const auto& take) { take(0, prepared.run(inputs, pool)); }, all,
      comparable);
  return tally;
}

ScoreReport describe_score(const BoundJudge& judge, const BoundJudge::Score& score) {
  ScoreReport report{.metric = judge.metric().name, .quantized = score.score, .samples = judge.scored()};
  report.labels = judge.task().reading();
  if (judge.metric().is_error()) return report;
  report.fp32 = score.fp32;
  report.drop = judge.drop(score);
  return report;
}

void add_interval(ScoreReport& report, const ScoreTally& own, const ScoreTally& moved, const TallyRules& rules) {
  const size_t batches = own.size();
  if (batches < 2) return;
  const std::vector<double> without_one = scores_without_one(own, batches, rules);
  const auto reference =
      rules.metric.is_error() ? std::vector<double>(batches) : scores_without_one(rules.floats, batches, rules);
  const double sampling = jackknife_error(without_one, reference);
  const double rounding = jackknife_error(without_one, scores_without_one(moved, batches, rules));
  const double things = counted_things(sum_of(own, batches, rules).task, rules.metric);
  const double one_more = things > 0 ? std::sqrt(2.0) / things : 0;
  const double error = std::hypot(sampling, rounding, one_more);
  if (!std::isfinite(error)) return;
  const double centre = report.drop.value_or(report.quantized), half = interval_errors(batches) * error;
  report.interval = {centre - half, centre + half};
  report.rounding_error = rounding;
}

ScoreReport describe_texts(const BoundJudge& judge, std::span<const TextErrors> texts) {
  const BoundJudge::Score score = judge.score_of(texts);
  ScoreReport report = describe_score(judge, score);
  report.samples = texts.size();
  if (!std::isfinite(score.error)) return report;
  const double half = interval_errors(texts.size()) * score.error;
  report.interval = {*report.drop - half, *report.drop + half};
  return report;
}

std::optional<WordErrors> word_errors_of(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  if (rules.metric != metrics::kWer || batches < 2) return std::nullopt;
  const double one_word = error_of_one_word(sum_of(tally, batches, rules).task.texts);
  const double sampling =
      jackknife_error(scores_without_one(tally, batches, rules), scores_without_one(rules.floats, batches, rules));
  return WordErrors{std::hypot(sampling, one_word), one_word};
}

ScoreReport measure_steps(const BoundJudge& judge, const Model& model) {
  const auto moved = [&] {
    Model other = model.clone();
    if (const GraphPatch patch = move_scales(other.graph()); !patch.empty()) apply_patch(other, patch);
    return other;
  };
  std::vector<Model> variants;
  variants.push_back(model.clone()), variants.push_back(moved());
  const BoundJudge::SampleTallies tallies = judge.tally_samples(variants, "scoring over the steps");
  const TallyRules rules(tallies, judge.metric());
  const ScoreTally& own = tallies.variants.front();
  ScoreReport report = describe_score(judge, score_of(own, own.size(), rules));
  add_interval(report, own, tallies.variants.back(), rules);
  return report;
}

ScoreReport measure_score(const BoundJudge& judge, const Model& model, const RunSettings& settings) {
  if (judge.texts()) return describe_texts(judge, judge.texts()->errors_of(model, "scoring the texts"));
  if (judge.by_command()) return describe_score(judge, judge.measure({&model, 1}, "scoring").front());
  if (judge.takes_steps()) return measure_steps(judge, model);
  const JudgedBatches batches(judge.reference(), judge.judged_values(), judge.samples(), settings, &judge.task());
  TallyRules rules{batches, judge.metric(), std::vector<bool>(batches.names().size(), true)};
  const ScoreTally own = tally_of_model(model, batches, settings, "scoring", rules.comparable);
  Model other = model.clone();
  if (const GraphPatch patch = move_scales(other.graph()); !patch.empty()) apply_patch(other, patch);
  const ScoreTally moved =
      tally_of_model(other, batches, settings, "measuring how rounding moves the score", rules.comparable);
  ScoreReport report = describe_score(judge, score_of(own, own.size(), rules));
  add_interval(report, own, moved, rules);
  return report;
}

void conclude(BoundReport& report, const BoundJudge& judge) {
  report.outcome = report.met ? BoundOutcome::NotShown : BoundOutcome::Broken;
  const ScoreReport& score = report.score;
  if (!report.met || !score.interval) return;
  const auto [low, high] = *score.interval;
  BoundJudge::Score end;  // of the interval, nearer to the bound
  end.fp32 = score.fp32.value_or(0);
  end.score = !score.drop ? low : judge.metric().falls() ? end.fp32 + high : end.fp32 - high;
  if (judge.meets(end)) {
    report.outcome = BoundOutcome::Holds;
    return;
  }
  const double half = (high - low) / 2, slack = judge.slack(end) + half;
  // The half of an interval falls with the root of the number of samples.
  constexpr double kMost = 1e9;
  const double needed = slack > 0 ? static_cast<double>(score.samples) * (half / slack) * (half / slack) : kMost;
  if (needed < kMost) report.samples_needed = two_digits(needed);
}

}  // namespace detent
