#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/sample_request.h"
#include "detent/options/accuracy_bound.h"
#include "detent/options/run_settings.h"
#include "evaluate/decoded_texts.h"
#include "evaluate/task_judge.h"
#include "model/model.h"

namespace detent {

/// Measures quantized models by the metric of a bound.
class BoundJudge {
 public:
  /// The scores of one model on all samples.
  struct Score {
    double fp32 = 0;                                      ///< the float model's, in the same metric; 0 for the SQNR
    double score = 0;                                     ///< in the metric
    double sqnr_db = 0;                                   ///< at the worst output
    std::string output;                                   ///< the worst output, where there are several
    std::map<std::string, double> metrics, fp32_metrics;  ///< of labels, masks and tokens; only measure() fills them
    double error = 0;   ///< standard error of the drop for other samples; only of word errors
    double margin = 0;  ///< margin_of() it
  };

  /// bound  without a limit: the task alone, to measure its score.
  /// eval   samples to judge on.
  /// data   the same where the bound is an SQNR and `eval` is not given; nullptr: none.
  /// steps  that `data` was opened by, where it is cut into steps.
  /// Errors  Usage: a bound that is not finite, no samples to judge on, --max-drop without labels, masks, tokens and
  ///         command; those of open_data and TaskMetric; InvalidOption when the model has no output to judge.
  BoundJudge(const AccuracyBound& bound, const SampleRequest& eval, const Model& model, const DataSource* data,
             const RunSettings& settings, const SampleRequest& steps = {});

  /// False: it only measures the score of a task.
  [[nodiscard]] bool has_bound() const { return bound_.given(); }
  [[nodiscard]] const DataSource& samples() const { return judge_->samples(); }
  /// Returns how many samples a score counts: clips of decoded texts, and others whose steps samples() has.
  [[nodiscard]] size_t scored() const {
    return texts_ ? texts_->size() : samples().size() / (takes_steps() ? *request_.steps : 1);
  }
  /// True when there are labels, masks or tokens, whether or not the bound is about them.
  [[nodiscard]] bool has_task() const;
  /// Values whose errors can be measured.
  [[nodiscard]] const std::vector<std::string>& float_values() const { return float_values_; }
  [[nodiscard]] const Metric& metric() const { return metric_; }
  [[nodiscard]] bool by_command() const { return metric_.source == MetricSource::Command; }
  /// Returns true where a score comes from whole runs, not from outputs by batch: a command's, that of texts, and that
  /// of steps, which each model takes with its own states.
  [[nodiscard]] bool scores_whole_runs() const { return by_command() || texts_ || takes_steps(); }
  [[nodiscard]] bool takes_steps() const { return request_.steps.has_value(); }
  /// The judge of texts that the model decodes; nullptr where the task is another.
  [[nodiscard]] const DecodedTexts* texts() const { return texts_.get(); }
  [[nodiscard]] std::string bound_text() const;
  [[nodiscard]] bool meets(const Score& score) const;
  /// True when the score takes at most half of the bound: of the drop, or of the noise power.
  [[nodiscard]] bool leaves_room(const Score& score) const;
  /// Orders scores: higher is better, first by the metric, then by the SQNR.
  [[nodiscard]] std::pair<double, double> rank(const Score& score) const {
    return rank_of(metric_, score.score, score.sqnr_db);
  }
  /// Returns how much worse than FP32 the score is, in the metric's unit; negative where it is better.
  [[nodiscard]] double drop(const Score& score) const;
  /// Returns the distance to the bound in the metric's unit; below 0 the bound is broken.
  [[nodiscard]] double slack(const Score& score) const;

  /// The float model that scores are compared with, the values that are run, and the judge of their outputs.
  [[nodiscard]] const Model& reference() const { return judge_->reference(); }
  [[nodiscard]] const std::vector<std::string>& judged_values() const { return judge_->values(); }
  [[nodiscard]] const TaskMetric& task() const { return judge_->task(); }

  /// Returns what the distance to a bound on word errors has to be, so that the rise on other clips of this kind is
  /// within the bound with 95 % confidence: few clips hold most of the errors, and a search finds the sets that were
  /// lucky. 0 for other bounds, and where so few words are known that not even the float model's texts would show it.
  /// error  of the rise
  /// least  the error that the samples leave at best (error_of_one_word)
  [[nodiscard]] double margin_of(double error, double least) const;
  /// The same of a bound on the rise.
  [[nodiscard]] static double margin_within(double max_drop, double error, double least);
  /// Returns the score of decoded texts on the first clips, by the errors of each. Only with texts().
  [[nodiscard]] Score score_of(std::span<const TextErrors> texts) const;
  /// Runs quantized variants of the model over all samples.
  /// Errors  those of evaluate_models and MetricCommand; InvalidOption when nothing can be compared.
  [[nodiscard]] std::vector<Score> measure(std::span<const Model> variants, std::string_view task) const;
  /// The tallies of variants by sample, whose steps are summed; only with takes_steps(), and not by a command.
  struct SampleTallies {
    std::vector<std::string> outputs;
    std::vector<std::vector<Tally>> variants;  ///< by variant and sample
    std::vector<Tally> floats;                 ///< by sample; without errors
  };
  [[nodiscard]] SampleTallies tally_samples(std::span<const Model> variants, std::string_view task) const;

 private:
  [[nodiscard]] TaskScores judge(std::span<const Model> variants, std::string_view task, bool by_batch) const;
  const AccuracyBound& bound_;
  EvaluationOptions by_batch_;  // what single outputs are judged by: without decoded texts
  SampleRequest request_;       // of samples()
  RunSettings settings_;
  std::unique_ptr<DataSource> own_;
  std::unique_ptr<TaskJudge> judge_;
  std::unique_ptr<const DecodedTexts> texts_;
  std::vector<std::string> float_values_;
  const Metric& metric_;
  mutable std::optional<double> fp32_by_command_;  // called once: a command may take long
};

/// Opens the judge of a bound, or of a task without one; nullptr where neither is given.
/// Errors  those of BoundJudge.
[[nodiscard]] std::unique_ptr<const BoundJudge> open_judge(const AccuracyBound& bound, const SampleRequest& eval,
                                                           const Model& model, const DataSource* data,
                                                           const RunSettings& settings,
                                                           const SampleRequest& steps = {});

}  // namespace detent
