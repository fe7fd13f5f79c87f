#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/mean.h"
#include "detent/options/run_settings.h"
#include "detent/reports/bound_report.h"
#include "evaluate/judged_batches.h"
#include "model/model.h"
#include "tune/bound_judge.h"

namespace detent {

/// The tallies of one quantized model by batch, in the order of JudgedBatches.
using ScoreTally = std::vector<Tally>;

/// The rules for summing tallies. Looks at its arguments.
struct TallyRules {
  const std::vector<std::string>& names;   ///< of the outputs
  const std::vector<Tally>& floats;        ///< the float model's, without errors
  const Metric& metric;                    ///< BoundJudge::metric(), not a command's
  std::vector<bool> comparable;            ///< by output: its errors count
  const JudgedBatches* batches = nullptr;  ///< in whose order sums are added; nullptr: in that of the tallies

  TallyRules(const JudgedBatches& judged, const Metric& by, std::vector<bool> compared)
      : names(judged.names()), floats(judged.float_tally()), metric(by), comparable(std::move(compared)),
        batches(&judged) {}
  /// Of whole samples that were cut into steps.
  TallyRules(const BoundJudge::SampleTallies& samples, const Metric& by)
      : names(samples.outputs), floats(samples.floats), metric(by), comparable(samples.outputs.size(), true) {}
};

/// Returns the score on the first `batches` batches, with FP32's. Sums are added in the order of the source: on all
/// batches the result has the bits of evaluate_models.
[[nodiscard]] BoundJudge::Score score_of(const ScoreTally& tally, size_t batches, const TallyRules& rules);

/// Returns the scores on the first `batches` batches without each one of them, for a jackknife. The float model
/// (JudgedBatches::float_tally) has only scores of a task.
[[nodiscard]] std::vector<double> scores_without_one(const ScoreTally& tally, size_t batches, const TallyRules& rules);

/// Runs models on one batch and gives `take` the outputs of each with its place among the tallies.
using TalliedRun = std::function<void(size_t b, std::span<const Tensor> inputs, BufferPool& pool,
                                      const std::function<void(size_t model, std::vector<Tensor>&&)>& take)>;

/// Runs batches `from` to `until` - 1, fills their tallies and clears `comparable` of outputs whose shape differs from
/// FP32's. Errors  those of `run` and TaskMetric::score; Interrupted.
void tally_batches(const JudgedBatches& batches, size_t from, size_t until, const RunSettings& settings,
                   const TalliedRun& run, std::span<ScoreTally* const> tallies, std::vector<bool>& comparable);

/// Runs a quantized model over all batches and clears `comparable` of outputs whose shape differs from FP32's.
/// Errors  those of running and TaskMetric::score; Interrupted.
[[nodiscard]] ScoreTally tally_of_model(const Model& model, const JudgedBatches& batches, const RunSettings& settings,
                                        std::string_view task, std::vector<bool>& comparable);

/// Describes a score without its interval.
[[nodiscard]] ScoreReport describe_score(const BoundJudge& judge, const BoundJudge::Score& score);

/// Adds the interval of a score that was measured on all batches. Its error is the root of the sum of three squares:
/// the jackknife error of the difference to FP32, that of the difference to `moved`, and one more and one fewer of the
/// labels, objects or tokens that are right: where no sample differs here, some of the others may.
/// moved  the same model with moved scales (move_scales)
/// Empty  below two batches: no interval.
/// Source for the third: Bonett and Price, "Adjusted Wald confidence interval for a difference of binomial proportions
///         based on paired data", J. Educ. Behav. Stat. 37 (2012), which add one sample of either kind.
void add_interval(ScoreReport& report, const ScoreTally& own, const ScoreTally& moved, const TallyRules& rules);

/// Standard errors of a word error rate's rise: error_of_rise() and error_of_one_word().
struct WordErrors {
  double rise = 0, one_word = 0;
};
/// Returns those on the first `batches` batches; nullopt for other metrics, and below two batches.
[[nodiscard]] std::optional<WordErrors> word_errors_of(const ScoreTally& tally, size_t batches,
                                                       const TallyRules& rules);

/// Describes the score of decoded texts, by the errors of each clip, with its interval: that of error_of_rise().
[[nodiscard]] ScoreReport describe_texts(const BoundJudge& judge, std::span<const TextErrors> texts);

/// Measures the score of a model with states over all steps, by its own states, and its interval over samples.
/// Errors  those of BoundJudge::tally_samples.
[[nodiscard]] ScoreReport measure_steps(const BoundJudge& judge, const Model& model);

/// Measures a model's score and its interval; without a bound.
/// Errors  those of BoundJudge::measure.
[[nodiscard]] ScoreReport measure_score(const BoundJudge& judge, const Model& model, const RunSettings& settings);

/// Fills the outcome of a bound from `met` and `score`, and the samples needed.
void conclude(BoundReport& report, const BoundJudge& judge);

}  // namespace detent
