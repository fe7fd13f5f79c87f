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

Tally sum_of(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  Tally sum{std::vector<ErrorSums>(rules.comparable.size()), {}};
  for (const size_t b : rules.batches.in_source_order(batches)) sum += tally[b];
  return sum;
}

double tallied_metric(const TaskSums& sums, const TallyRules& rules) {
  const auto metrics = sums.metrics();
  const auto found = metrics.find(rules.metric.name);
  return found == metrics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

/// The sums without a batch.
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

}  // namespace

BoundJudge::Score score_of(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  const Tally sum = sum_of(tally, batches, rules);
  const ErrorReport error = report_of(sum.errors, rules);
  BoundJudge::Score score;
  score.sqnr_db = worst_sqnr_db(error);
  if (error.outputs.size() > 1) score.output = error.worst;
  score.score = score.sqnr_db;
  if (!is_task(rules)) return score;
  score.fp32 = tallied_metric(sum_of(rules.batches.float_tally(), batches, rules).task, rules);
  score.score = tallied_metric(sum.task, rules);
  return score;
}

std::vector<double> scores_without_one(const ScoreTally& tally, size_t batches, const TallyRules& rules) {
  const Tally all = sum_of(tally, batches, rules);
  std::vector<double> scores;
  for (size_t b = 0; b < batches; ++b) scores.push_back(score_without(all, tally[b], rules));
  return scores;
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
