#pragma once

#include <functional>
#include <span>
#include <vector>

#include "detent/data_source.h"
#include "model/model.h"

namespace detent {

/// One number for each part of the data and each calibrator, in dB (score_db): [part][calibrator].
using PartScores = std::vector<std::vector<double>>;

/// SQNR of each model on each sample (sample_scores): [model][calibrator][sample].
using FoldScores = std::vector<std::vector<std::vector<double>>>;

/// Quantizes each model with what `fit` says and measures it on `held_out`.
using FoldJudge =
    std::function<FoldScores(std::span<const Model> models, const DataSource& fit, const DataSource& held_out)>;

/// score_db of each model and calibrator: [model][calibrator].
[[nodiscard]] std::vector<std::vector<double>> scores_of(const FoldScores& samples);

}  // namespace detent
