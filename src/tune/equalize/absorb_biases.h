#pragma once

#include <optional>
#include <span>

#include "detent/data_source.h"
#include "detent/equalize_report.h"
#include "detent/run_settings.h"
#include "equalize/equalization.h"
#include "model/model.h"
#include "tune/equalize/fold_scores.h"

namespace detent {

struct Absorption {
  Shifts shifts;  ///< empty when nothing was absorbed
  AbsorbReport report;
  std::optional<Model> original;  ///< the model as it was, where something was absorbed
};

/// Takes from channels that are always positive what they never fall below, where the network behind them can make up for it
/// (find_absorbable), and applies it to `model`, in place: ranges get shorter.
///
/// Kept where the mean output SQNR does not fall, over all calibrators of `judge`. What is judged comes from other samples than
/// the deciding ones; what is kept, from 256 of all, those whose names have the smallest hash.
/// Where rounding the biases once moves an output by more than apply_absorption allows, nothing is kept and the report says so.
/// inputs  of one batch: shapes come from it.
/// judge   called while the model is as it was, and not when no value would get smaller.
/// Errors  those of running and of `judge`; Interrupted.
[[nodiscard]] Absorption absorb_biases(Model& model, std::span<const Tensor> inputs, const DataSource& source,
                                       const RunSettings& settings, const FoldJudge& judge);

}  // namespace detent
