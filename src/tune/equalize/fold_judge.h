#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/range_overrides.h"
#include "detent/base/data_source.h"
#include "detent/base/tensor.h"
#include "detent/options/run_settings.h"
#include "model/model.h"
#include "place/engines/target.h"
#include "place/plan/measured_facts.h"
#include "place/plan/placement_request.h"
#include "rewrite/rewrite.h"

namespace detent {

/// The data of an equalization. Its members must outlive it.
struct EqualizeData {
  std::span<const Tensor> inputs;  ///< one batch: gives the shapes, and every patch is checked on it
  const DataSource& source;        ///< channels are measured on 256 of its samples, the smallest name hashes
  const DataSource& all;           ///< the calibration data; `source` may lack samples that ranges do not follow
  const RunSettings& settings;
  const std::set<std::string>& always;  ///< names of samples that channels are always measured on
};

/// score_db of one model on each part of the data, [part][calibrator].
using PartScores = std::vector<std::vector<double>>;

/// SQNR of each model on each sample (sample_scores), [model][calibrator][sample].
using FoldScores = std::vector<std::vector<std::vector<double>>>;

/// Quantizes each model and measures it.
using FoldScorer = std::function<FoldScores(std::span<const Model> models)>;

/// Makes a scorer that quantizes by `fit` and measures on `held_out`, which must both outlive it. A scorer keeps what
/// does not depend on the models, such as the float model's outputs.
using FoldJudge = std::function<FoldScorer(const DataSource& fit, const DataSource& held_out)>;

/// Scores `count` models that `make` makes: all at once, or (`one_by_one`) each freed before the next is made. The
/// score of a model must not depend on the others.
[[nodiscard]] FoldScores judge_models(const FoldScorer& scorer, size_t count, const std::function<Model(size_t)>& make,
                                      bool one_by_one);

/// Returns score_db of each model and calibrator: [model][calibrator].
[[nodiscard]] std::vector<std::vector<double>> scores_of(const FoldScores& samples);

/// The quantization of the models that `--equalize auto` compares. Its members must outlive the judge.
struct JudgeOptions {
  const Target& target;
  const PlacementRequest& placement;
  RewriteOptions format;
  const RangeOverrides& overrides;
  std::vector<std::string> calibrators;  ///< specs; "auto" chooses again for each model, on `fit`
  const RunSettings& run;
  MeasuredFacts kept = {};                     ///< nodes that stay float in the models
  std::set<std::string> clipped_samples = {};  ///< see RangeChoice
  bool ruined_at_run_time = false;             ///< products that R15 would keep float are to find scales at run time
};

/// Makes a judge that quantizes each model with each calibrator, with ranges of `fit`, and compares it with `reference`
/// on `held_out`. The float model runs once on each sample; samples run together where that is faster
/// (samples_together).
/// Errors (of a scorer)  InvalidOption when no output can be compared; those of JudgedBatches and evaluate_on_batches.
[[nodiscard]] FoldJudge make_fold_judge(const Model& reference, JudgeOptions options);

}  // namespace detent
