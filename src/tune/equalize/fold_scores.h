#pragma once

#include <functional>
#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "model/model.h"

namespace detent {

/// One number for each part of the data and each calibrator, in dB (score_db): [part][calibrator].
using PartScores = std::vector<std::vector<double>>;

/// SQNR of each model on each sample (sample_scores): [model][calibrator][sample].
using FoldScores = std::vector<std::vector<std::vector<double>>>;

/// Quantizes each model and measures it.
using FoldScorer = std::function<FoldScores(std::span<const Model> models)>;

/// A scorer that quantizes with what `fit` says and measures on `held_out`, both of which must outlive it. It keeps
/// what does not depend on the models, such as the float model's outputs, so ask one again rather than make another.
using FoldJudge = std::function<FoldScorer(const DataSource& fit, const DataSource& held_out)>;

/// Of `count` models that `make` makes: all at once, or one after the other, each gone before the next is made, where
/// `one_by_one`. What the scorer says of one must not depend on the others.
[[nodiscard]] FoldScores judge_models(const FoldScorer& scorer, size_t count, const std::function<Model(size_t)>& make,
                                      bool one_by_one);

/// score_db of each model and calibrator: [model][calibrator].
[[nodiscard]] std::vector<std::vector<double>> scores_of(const FoldScores& samples);

}  // namespace detent
