#pragma once

#include <functional>
#include <span>
#include <vector>

#include "detent/data_source.h"
#include "model/model.h"

namespace detent {

/// Mean SQNR of the outputs in dB on each part of the data: [part][calibrator].
using PartScores = std::vector<std::vector<double>>;

/// Mean SQNR of the outputs in dB of each model, quantized with what `fit` says and measured on `held_out`: [model][calibrator].
using FoldJudge = std::function<std::vector<std::vector<double>>(std::span<const Model> models, const DataSource& fit,
                                                                 const DataSource& held_out)>;

}  // namespace detent
