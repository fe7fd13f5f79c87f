#include "tune/bound_judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "detent/base/error.h"
#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "run/greedy_decoder.h"
#include "run/open_samples.h"
#include "run/own_steps.h"

namespace detent {

namespace {

constexpr double kRounding = 1e-9;  // scores are quotients of counts: 0.79 - 0.78 is not 0.01

const Metric& bounded_metric(const AccuracyBound& bound) {
  if (bound.min_sqnr_db) return metrics::kSqnr;
  for (const Metric& metric : kMetrics)
    if (metric.use == MetricUse::Decides && !metric.is_error() && gives(bound.evaluation, metric.source)) return metric;
  return metrics::kDetectionAgreement;
}

}  // namespace

BoundJudge::BoundJudge(const AccuracyBound& bound, const SampleRequest& eval, const Model& model,
                       const DataSource* data, const RunSettings& settings, const SampleRequest& steps)
    : bound_(bound), by_batch_(bound.evaluation), request_(eval.given() ? eval : steps),
      settings_(without_states(settings, request_, model)), metric_(bounded_metric(bound)) {
  if (bound.max_drop && bound.min_sqnr_db)
    throw Error(ErrorCode::Usage, "--max-drop and --min-sqnr exclude each other");
  if (!std::isfinite(bound.max_drop.value_or(0)) || !std::isfinite(bound.min_sqnr_db.value_or(0)))
    throw Error(ErrorCode::Usage, bound_text() + ": a bound is a finite number");
  if (bound.min_sqnr_db && gives(bound.evaluation, MetricSource::Command))
    throw Error(ErrorCode::Usage, "--min-sqnr does not call --metric-command",
                "--max-drop bounds the number that the command prints");
  if (eval.given()) own_ = open_samples(eval, model);
  if (!own_ && (!data || !bound.min_sqnr_db))
    throw Error(ErrorCode::Usage,
                (bound.given() ? bound_text() : "the score of a task") + " needs samples to judge on: --eval");
  if (bound.min_sqnr_db && gives(bound.evaluation, MetricSource::Transcripts) && decodes(eval))
    throw Error(ErrorCode::Usage, "--min-sqnr does not go with --transcripts of a pipeline with \"decode\"",
                "--max-drop bounds the rise of its word error rate");
  texts_ = take_texts(by_batch_, eval, model, settings_);
  judge_ = std::make_unique<TaskJudge>(by_batch_, request_, model, own_ ? *own_ : *data, settings_);
  if (metric_ == metrics::kDetectionAgreement && !task().recognized())
    throw Error(ErrorCode::Usage,
                std::string("--max-drop needs a score (") + kTaskOptions +
                    " give one); only of a detector the float model's detections do",
                "--min-sqnr bounds the error at the outputs without any");
  float_values_ = values_to_compare(model, samples(), settings_);
}

bool BoundJudge::has_task() const {
  return std::ranges::any_of(kMetrics, [&](const Metric& metric) {
    return !metric.is_error() && metric.source != MetricSource::Command &&
           (gives(bound_.evaluation, metric.source) || metric == metric_);
  });
}

std::string BoundJudge::bound_text() const {
  return bound_.max_drop ? fmt::format("--max-drop {:.6g}", *bound_.max_drop)
                         : fmt::format("--min-sqnr {:.6g}", *bound_.min_sqnr_db);
}

double BoundJudge::drop(const Score& score) const {
  return metric_.falls() ? score.score - score.fp32 : score.fp32 - score.score;
}

double BoundJudge::slack(const Score& score) const {
  return bound_.max_drop ? *bound_.max_drop - drop(score) : score.score - *bound_.min_sqnr_db;
}

bool BoundJudge::meets(const Score& score) const {
  return slack(score) >= score.margin - (bound_.max_drop ? kRounding : 0);
}

double BoundJudge::margin_of(double error, double least) const {
  return bound_.max_drop && metric_ == metrics::kWer ? margin_within(*bound_.max_drop, error, least) : 0;
}

double BoundJudge::margin_within(double max_drop, double error, double least) {
  constexpr double kOneSided = 1.6449;  // standard errors; 95 % of a normal distribution lie above its mean minus these
  return kOneSided * least <= max_drop ? kOneSided * error : 0;
}

bool BoundJudge::leaves_room(const Score& score) const {
  constexpr double kHalfOfTheNoise = 3.0103;  // 10 log10(2) dB
  if (bound_.max_drop) return drop(score) <= *bound_.max_drop / 2 + kRounding;
  return score.score >= *bound_.min_sqnr_db + kHalfOfTheNoise;
}

BoundJudge::Score BoundJudge::score_of(std::span<const TextErrors> texts) const {
  const std::span<const TextErrors> floats = texts_->float_errors(texts.size());
  TaskSums found, reference;
  found.texts = sum_of(texts), reference.texts = sum_of(floats);
  Score score;
  score.metrics = found.metrics(), score.fp32_metrics = reference.metrics();
  score.score = score.metrics.at(metric_.name), score.fp32 = score.fp32_metrics.at(metric_.name);
  score.error = error_of_rise(floats, texts);
  score.margin = margin_of(score.error, error_of_one_word(found.texts));
  return score;
}

TaskScores BoundJudge::judge(std::span<const Model> variants, std::string_view task, bool by_batch) const {
  std::vector<std::string> folders{"fp32"};
  for (size_t v = 0; v < variants.size(); ++v) folders.push_back("variant" + std::to_string(v));
  return judge_->judge(variants, folders, task, {.task = has_task(), .by_batch = by_batch});
}

BoundJudge::SampleTallies BoundJudge::tally_samples(std::span<const Model> variants, std::string_view task) const {
  const Evaluation found = judge(variants, task, true).evaluation;
  SampleTallies tallies{found.outputs, std::vector<std::vector<Tally>>(variants.size()), {}};
  const auto task_of = [&](size_t model, size_t b) {
    return found.task_by_batch.empty() ? TaskSums{} : found.task_by_batch[model][b];
  };
  for (size_t b = 0; b < found.batch_names.size(); ++b) {
    for (size_t v = 0; v < variants.size(); ++v)
      tallies.variants[v].push_back({found.by_batch[v][b], task_of(1 + v, b)});
    tallies.floats.push_back({std::vector<ErrorSums>(found.outputs.size()), task_of(0, b)});
  }
  return tallies;
}

std::vector<BoundJudge::Score> BoundJudge::measure(std::span<const Model> variants, std::string_view task) const {
  if (texts_) {
    std::vector<Score> scores;
    for (const Model& variant : variants) scores.push_back(score_of(texts_->errors_of(variant, task)));
    return scores;
  }
  const TaskScores found = judge(variants, task, false);
  const Evaluation& evaluation = found.evaluation;
  if (evaluation.outputs.empty() && metric_.is_error()) throw nothing_compared();
  const auto score_of = [&](size_t model) {
    if (!found.command) return evaluation.task[model].metrics().at(metric_.name);
    if (model > 0) return found.command->judge(model);
    if (!fp32_by_command_) fp32_by_command_ = found.command->judge(0);
    return *fp32_by_command_;
  };
  std::vector<Score> scores;
  const double fp32 = metric_.is_error() ? 0 : score_of(0);
  for (size_t v = 0; v < variants.size(); ++v) {
    const ErrorReport error = evaluation.report(v);
    const double sqnr = worst_sqnr_db(error);
    Score& score = scores.emplace_back();
    score.fp32 = fp32;
    score.score = metric_.is_error() ? sqnr : score_of(1 + v);
    score.sqnr_db = sqnr;
    if (error.outputs.size() > 1) score.output = error.worst;
    if (has_task()) score.metrics = evaluation.task[1 + v].metrics(), score.fp32_metrics = evaluation.task[0].metrics();
  }
  return scores;
}

std::unique_ptr<const BoundJudge> open_judge(const AccuracyBound& bound, const SampleRequest& eval, const Model& model,
                                             const DataSource* data, const RunSettings& settings,
                                             const SampleRequest& steps) {
  if (!bound.given() && !judges_a_task(bound.evaluation)) return nullptr;
  return std::make_unique<const BoundJudge>(bound, eval, model, data, settings, steps);
}

}  // namespace detent
