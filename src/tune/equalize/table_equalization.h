#pragma once

#include <optional>
#include <span>

#include "model/model.h"
#include "observe/calibration_table.h"
#include "tune/equalize/equalized_model.h"
#include "tune/equalize/request.h"

namespace detent {

/// Does to the prepared model the absorption of biases and the equalization with which the table was measured. The report names
/// the values and their families; nothing is measured again. nullopt when the table was measured without either.
/// Errors  TableMismatch when `requested` (Unset takes the table's) asks for something else; those of apply_equalization.
[[nodiscard]] std::optional<EqualizedModel> equalize_by_table(const CalibrationTable& table, Model& model,
                                                              const EqualizeRequest& requested,
                                                              std::span<const Tensor> inputs);

}  // namespace detent
