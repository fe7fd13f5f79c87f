#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "detent/base/progress.h"
#include "detent/options/placement_options.h"
#include "observe/calibration_table.h"
#include "place/engines/target.h"

namespace detent {

/// Makes a table of `values` of the model, without measurements.
/// prepared  the graph after prepare_model(), whose values a table names.
/// reached   values whose reach is measured too.
[[nodiscard]] CalibrationTable make_table(const std::string& fingerprint, const Graph& prepared,
                                          std::span<const ValueId> values, std::span<const ValueId> reached = {});

/// Returns the values to measure for a table: those that the placements of `targets` quantize, with any type of
/// activations that they take, or without targets all that any target could quantize and that can run. No constants:
/// those are measured by quantizing.
[[nodiscard]] std::vector<ValueId> values_to_measure(const Graph& prepared, std::span<const std::string> targets,
                                                     const PlacementOptions& placement);

/// Reads a table.
/// Errors  those of read_table; TableMismatch when it is of another model.
[[nodiscard]] CalibrationTable read_table_of(const std::filesystem::path& path, const std::string& fingerprint);

/// Returns the table's histograms and scales of `values`; constants come from the graph. Warns as calibrate() does.
/// Errors  TableMismatch naming the values that the table lacks; InvalidData for one that held nothing finite.
[[nodiscard]] Calibration calibration_from(const CalibrationTable& table, const Graph& prepared,
                                           std::span<const ValueId> values, Reporter& reporter);

/// Returns the reaches of the values of `prepared` from the table.
/// Errors  TableMismatch naming the values that it lacks.
[[nodiscard]] ValueReaches reaches_from(const CalibrationTable& table, const Graph& prepared);

}  // namespace detent
