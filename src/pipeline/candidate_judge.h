#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/compare.h"
#include "detent/reports/provenance.h"
#include "evaluate/decoded_texts.h"
#include "evaluate/task_judge.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "pipeline/latency/latency_command.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/identified_samples.h"

namespace detent {

/// A row of a comparison.
struct ComparedCandidate {
  std::string name;
  std::string calibrator;       ///< gave its ranges; what auto chose; "": none
  double choosing_seconds = 0;  ///< of the calibrator
  size_t model = 0;             ///< its place among the models
};

/// The making of a compared model.
struct ComparedModel {
  std::map<ValueId, Range> ranges = {};
  GraphPatch constants = {};     ///< rounded weights and corrected biases
  bool weights_rounded = false;  ///< by the layers' inputs
  bool quantized = true;         ///< false: no layer supports its type, so it is the float model and cannot win
  Provenance origin = {};        ///< without the calibrator
  double seconds = 0;            ///< of making it
};

/// The models of a comparison, each made once: candidates that are the same model share it.
struct Candidates {
  std::vector<ComparedCandidate> candidates;
  std::vector<ComparedCandidate> baselines;  ///< models that an INT8 model must beat, without a calibrator
  std::vector<ComparedModel> made;
  std::vector<Model> models;  ///< in the order of `made`

  /// Returns the provenance in the file of a candidate.
  [[nodiscard]] Provenance origin_of(const ComparedCandidate& candidate) const;
  /// Returns "fp32", then by model the first name of a candidate or baseline.
  [[nodiscard]] std::vector<std::string> folder_names() const;
  void add(ComparedCandidate candidate, ComparedModel how, Model model);
  /// Adds all of `more` behind.
  void append(Candidates more);
};

/// Returns names as calibrators call themselves ("percentile" is "percentile:99.99").
/// Errors  Usage for none, and for one that is named twice.
[[nodiscard]] std::vector<std::string> candidate_names(const std::vector<std::string>& specs);

/// Quantizes the model with each calibrator. Layers that ruin the network stay float first, the same in all candidates:
/// those that quantize finds with `auto` where it is among the names, with the only name, or else with `mse`.
/// Errors  those of find_ruinous(), choosing, rounding weights, correcting biases and rewriting.
[[nodiscard]] Candidates make_candidates(const std::vector<std::string>& names, Attempt& attempt,
                                         const ComparedOptions& options);

/// Fills the report's facts of the calibration pass over `data`.
void note_calibration(ComparisonReport& report, const Measured& measured, const SampleRequest& data);

/// Adds the model cast to each 16-bit float type without pairs, as `cast` writes it: "fp16", "bf16". Warns of a type
/// that the model cannot have.
/// Errors  those of reading and running.
void add_baselines(Candidates& candidates, const std::filesystem::path& model, const DataSource& source,
                   const RunSettings& run);

/// Runs the candidates of a comparison side by side and finds the best. The options and the request must outlive it.
class CandidateJudge {
 public:
  /// Opens and checks the evaluation data and times the float model, before anything long begins.
  /// reference  the float model that candidates are compared with; all have its inputs.
  /// Errors     those of open_samples, TaskMetric, values_to_judge and, with options.draw, check_drawing and
  ///            check_drawable; those of LatencyCommand.
  CandidateJudge(const ComparedOptions& options, const SampleRequest& eval, const Model& reference);

  [[nodiscard]] const DataSource& samples() const { return samples_; }
  /// That samples() were opened by.
  [[nodiscard]] const SampleRequest& request() const { return eval_; }
  /// Fills the scores of the report: `fp32`, `baselines`, `winner`, `criterion`, `ties`, the provenance of the winner,
  /// and the evaluation samples; of a detector also `detections`, and draws them, where the options ask. Its variants
  /// get their scores in the order of the candidates; other members that they have already stay.
  /// what    for the progress line: "7 calibrators".
  /// Returns the position of the winner.
  /// Errors  those of evaluate_models, MetricCommand and draw_detections; InvalidOption when there is nothing to judge
  ///         by.
  template <class Report>
  size_t judge(Report& report, Candidates& candidates, const std::string& what) const {
    Judged judged = judge_all(report, candidates, what);
    report.variants.resize(judged.rows.size());
    for (size_t v = 0; v < judged.rows.size(); ++v)
      static_cast<ComparedVariant&>(report.variants[v]) = std::move(judged.rows[v]);
    return judged.winner;
  }

 private:
  struct Judged {
    std::vector<ComparedVariant> rows;  ///< by candidate
    size_t winner = 0;
  };
  Judged judge_all(ComparisonReport& report, Candidates& candidates, const std::string& what) const;
  /// Times each model once.
  /// Errors  those of LatencyCommand.
  void time(ComparisonReport& report, std::vector<ComparedVariant>& rows, const Candidates& candidates) const;
  /// Shows the detections of the winner beside those of FP32.
  void show(ComparisonReport& report, std::vector<ShownDetections> shown) const;

  /// The latency command and what it said of the float model.
  struct Timer {
    LatencyFolder folder = {};
    LatencyCommand command;
    ComparedLatency of_float;

    explicit Timer(const ComparedOptions& options);
  };

  const ComparedOptions& options_;
  const SampleRequest& eval_;
  EvaluationOptions by_batch_;  ///< without transcripts where texts_ judges
  IdentifiedSamples samples_;
  std::unique_ptr<const DecodedTexts> texts_;  ///< of a pipeline that writes texts; nullptr: none
  TaskJudge judge_;
  std::unique_ptr<Timer> timer_;  ///< nullptr: none was asked for
};

}  // namespace detent
