#include "tune/score_tally.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluate/error_sums.h"

namespace detent {

namespace {

bool is_task(const TallyRules& rules) { return !rules.metric.is_error(); }

/// The names and sums of outputs that count.
ErrorReport report_of(const std::vector<ErrorSums>& sums, const TallyRules& rules) {
  std::vector<std::string> names;
  std::vector<ErrorSums> counted;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!rules.comparable[i]) continue;
    names.push_back(rules.batches.names()[i]);
    counted.push_back(sums[i]);
  }
  return summarize_errors(names, counted, 0);
}

std::vector<ErrorSums> errors_on(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  std::vector<ErrorSums> sums(rules.comparable.size());
  for (const size_t b : rules.batches.in_source_order(batches))
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += tally.at(b).errors[i];
  return sums;
}

template <class At>
TaskSums task_on(size_t batches, const TallyRules& rules, At at) {
  TaskSums sums;
  for (const size_t b : rules.batches.in_source_order(batches)) sums += at(b);
  return sums;
}

double tallied_metric(const TaskSums& sums, const TallyRules& rules) {
  const auto metrics = sums.metrics();
  const auto found = metrics.find(rules.metric.name);
  return found == metrics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

template <class At>
std::vector<double> task_without_one(size_t batches, const TallyRules& rules, At at) {
  const TaskSums all = task_on(batches, rules, at);
  std::vector<double> scores;
  for (size_t b = 0; b < batches; ++b) {
    TaskSums rest = all;
    rest -= at(b);
    scores.push_back(tallied_metric(rest, rules));
  }
  return scores;
}

}  // namespace

BoundJudge::Score score_of(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  const ErrorReport error = report_of(errors_on(tally, batches, rules), rules);
  BoundJudge::Score score;
  score.sqnr_db = worst_sqnr_db(error);
  if (error.outputs.size() > 1) score.output = error.worst;
  score.score = score.sqnr_db;
  if (!is_task(rules)) return score;
  score.fp32 = tallied_metric(task_on(batches, rules, [&](size_t b) { return rules.batches.float_score(b); }), rules);
  score.score = tallied_metric(task_on(batches, rules, [&](size_t b) { return tally.at(b).task; }), rules);
  return score;
}

std::vector<double> scores_without_one(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  if (is_task(rules)) return task_without_one(batches, rules, [&](size_t b) { return tally.at(b).task; });
  const std::vector<ErrorSums> all = errors_on(tally, batches, rules);
  std::vector<double> scores;
  for (size_t b = 0; b < batches; ++b) {
    std::vector<ErrorSums> rest = all;
    for (size_t i = 0; i < rest.size(); ++i) {
      rest[i].signal = std::max(0.0, rest[i].signal - tally.at(b).errors[i].signal);
      rest[i].noise = std::max(0.0, rest[i].noise - tally.at(b).errors[i].noise);
    }
    scores.push_back(worst_sqnr_db(report_of(rest, rules)));
  }
  return scores;
}

std::vector<double> float_scores_without_one(size_t batches, const TallyRules& rules) {
  return task_without_one(batches, rules, [&](size_t b) { return rules.batches.float_score(b); });
}

double jackknife_error(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  if (n < 2) return std::numeric_limits<double>::infinity();
  double mean = 0, squares = 0;
  for (size_t i = 0; i < a.size(); ++i) mean += (a[i] - b[i]) / n;
  for (size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i] - mean) * (a[i] - b[i] - mean);
  return std::sqrt(squares * (n - 1) / n);
}

}  // namespace detent
