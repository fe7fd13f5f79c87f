#pragma once

#include <span>

#include "detent/equalize_report.h"
#include "equalize/equalization.h"
#include "exec/same_outputs.h"
#include "model/model.h"

namespace detent {

/// Applies a known equalization to `model`, in place, checked on `inputs` where there are any (see apply_absorption for shifts).
/// Errors  TableMismatch when it is of another model; Internal when an output changed.
void apply_equalization(Model& model, const Equalization& equalization, std::span<const Tensor> inputs);

/// Applies shifts to `model`, in place, and returns the first output that rounding changed too much (changed_output).
/// Compared on `inputs` where none of their channels falls below its shift: on others the network may say something else.
/// Errors  TableMismatch when the shifts are of another model; those of running.
[[nodiscard]] std::optional<OutputChange> absorb(Model& model, const Shifts& shifts, std::span<const Tensor> inputs);

/// Applies known shifts to `model`, in place. Checked on `inputs` where none of their channels falls below its shift: on
/// others the network may say something else.
/// Errors  TableMismatch when they are of another model; Internal when an output changed by more than rounding.
void apply_absorption(Model& model, const Shifts& shifts, std::span<const Tensor> inputs);

/// How many channels of which activations lose something; nothing is measured.
[[nodiscard]] std::vector<AbsorbReport::Value> describe_shifts(const Graph& graph, const Shifts& shifts);

}  // namespace detent
