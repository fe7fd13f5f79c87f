#include "evaluate/score_error.h"

#include <functional>

#include "core/bootstrap.h"
#include "detections/average_precision.h"

namespace detent {

namespace {

/// Returns the scores of all variants when each batch counts so often; empty where these batches have none.
using ScoresOf = std::function<std::vector<double>(std::span<const uint32_t> counts)>;

double worst_of(const std::vector<std::vector<ErrorSums>>& batches, const std::vector<std::string>& outputs,
                std::span<const uint32_t> counts) {
  std::vector<ErrorSums> sums(outputs.size());
  for (size_t b = 0; b < batches.size(); ++b)
    for (size_t i = 0; i < sums.size() && counts[b] > 0; ++i) {
      const ErrorSums& one = batches[b][i];
      sums[i].is_float = sums[i].is_float || one.is_float;
      sums[i].signal += counts[b] * one.signal;
      sums[i].noise += counts[b] * one.noise;
    }
  return worst_sqnr_db(summarize_errors(outputs, sums, batches.size()));
}

double task_of(const std::vector<TaskSums>& batches, const std::string& criterion, std::span<const uint32_t> counts) {
  TaskSums sums;
  for (size_t b = 0; b < batches.size(); ++b)
    for (uint32_t i = 0; i < counts[b]; ++i) sums += batches[b];
  const auto metrics = sums.metrics();
  const auto found = metrics.find(criterion);
  return found == metrics.end() ? 0 : found->second;
}

ScoreErrors errors_by(const ScoresOf& scores_of, size_t variants, size_t batches, double cost) {
  Bootstrap bootstrap(batches, cost);
  std::vector<std::vector<double>> draws(variants);  // [variant][draw]
  for (size_t d = 0; d < bootstrap.draws(); ++d) {
    const std::vector<double> scores = scores_of(bootstrap.next());
    for (size_t v = 0; v < scores.size(); ++v) draws[v].push_back(scores[v]);
  }
  ScoreErrors errors;
  errors.difference.assign(variants, std::vector<double>(variants));
  for (size_t a = 0; a < variants; ++a) {
    errors.own.push_back(spread(draws[a]));
    for (size_t b = 0; b < variants; ++b) {
      std::vector<double> differences(draws[a].size());
      for (size_t d = 0; d < differences.size(); ++d) differences[d] = draws[a][d] - draws[b][d];
      errors.difference[a][b] = spread(differences);
    }
  }
  return errors;
}

}  // namespace

ScoreErrors precision_errors(const std::vector<std::vector<const MatchedDetections*>>& variants) {
  size_t matches = 0;
  std::vector<RankedDetections> ranked;
  for (const auto& batches : variants) {
    ranked.emplace_back(batches);
    for (const MatchedDetections* one : batches) matches += one->matches.size();
  }
  const ScoresOf scores_of = [&](std::span<const uint32_t> counts) {
    std::vector<double> scores;
    for (const RankedDetections& one : ranked)
      if (const auto precision = one.precision(counts)) scores.push_back(precision->map);
    return scores.size() == variants.size() ? scores : std::vector<double>();
  };
  return errors_by(scores_of, variants.size(), variants.front().size(), static_cast<double>(kIouThresholds * matches));
}

std::optional<ScoreErrors> score_errors(const Evaluation& evaluation, const std::string& criterion) {
  const size_t variants = evaluation.by_batch.size();
  const size_t samples = variants == 0 ? 0 : evaluation.by_batch.front().size();
  if (samples < 2) return std::nullopt;
  const auto runs = static_cast<double>(variants * samples);
  if (criterion == metrics::kSqnr.name) {
    const ScoresOf scores_of = [&](std::span<const uint32_t> counts) {
      std::vector<double> scores;
      for (const auto& one : evaluation.by_batch) scores.push_back(worst_of(one, evaluation.outputs, counts));
      return scores;
    };
    return errors_by(scores_of, variants, samples, runs * static_cast<double>(evaluation.outputs.size()));
  }
  if (evaluation.task_by_batch.size() != 1 + variants || !evaluation.task[1].metrics().contains(criterion))
    return std::nullopt;
  const std::span tasks = std::span(evaluation.task_by_batch).subspan(1);
  const Metric& metric = metric_named(criterion);
  if (tasks.front().front().detections.scored_by(metric)) {
    std::vector<std::vector<const MatchedDetections*>> matched(variants);
    for (size_t v = 0; v < variants; ++v)
      for (const TaskSums& sums : tasks[v]) matched[v].push_back(sums.detections.scored_by(metric));
    return precision_errors(matched);
  }
  const ScoresOf scores_of = [&](std::span<const uint32_t> counts) {
    std::vector<double> scores;
    for (const std::vector<TaskSums>& batches : tasks) scores.push_back(task_of(batches, criterion, counts));
    return scores;
  };
  // A draw adds the classes of each batch.
  return errors_by(scores_of, variants, samples, runs * static_cast<double>(1 + 2 * evaluation.task[1].unions.size()));
}

}  // namespace detent
