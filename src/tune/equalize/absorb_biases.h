#pragma once

#include <optional>
#include <span>

#include "detent/detent.h"
#include "equalize/equalization.h"
#include "model/model.h"
#include "tune/equalize/cross_fit.h"

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

/// Applies known shifts to `model`, in place. Checked on `inputs` where none of their channels falls below its shift: on
/// others the network may say something else.
/// Errors  TableMismatch when they are of another model; Internal when an output changed by more than rounding.
void apply_absorption(Model& model, const Shifts& shifts, std::span<const Tensor> inputs);

/// How many channels of which activations lose something; nothing is measured.
[[nodiscard]] std::vector<AbsorbReport::Value> describe_shifts(const Graph& graph, const Shifts& shifts);

}  // namespace detent
