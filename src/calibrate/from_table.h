#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "detent/base/progress.h"
#include "detent/options/placement_options.h"
#include "observe/calibration_table.h"
#include "place/targets/target.h"

namespace detent {

/// Every target prepares a model alike, so a table that names no target serves all: this one stands for them.
[[nodiscard]] const Target& preparing_target();

/// A table that holds `values` of `model` and has measured nothing yet.
/// prepared  the graph after prepare_model(), whose values a table names.
/// reached   values whose reach is measured beside.
[[nodiscard]] CalibrationTable make_table(const std::string& fingerprint, const Graph& prepared,
                                          std::span<const ValueId> values, std::span<const ValueId> reached = {});

/// Values to measure for a table: what the default placements of `targets` quantize by `placement`, or, without
/// targets, everything that any could and that can run. No constants: they are measured where a model is quantized.
[[nodiscard]] std::vector<ValueId> values_to_measure(const Graph& prepared, std::span<const std::string> targets,
                                                     const PlacementOptions& placement);

/// Reads a table.
/// Errors  those of read_table; TableMismatch when it is of another model.
[[nodiscard]] CalibrationTable read_table_of(const std::filesystem::path& path, const std::string& fingerprint);

/// The table's histograms and scales of `values`; constants come from the graph. Warns as calibrate() does.
/// Errors  TableMismatch naming the values that the table lacks; InvalidData for one that held nothing finite.
[[nodiscard]] Calibration calibration_from(const CalibrationTable& table, const Graph& prepared,
                                           std::span<const ValueId> values, Reporter& reporter);

/// What the values of `prepared` reach, by the table.
/// Errors  TableMismatch naming the values that it lacks.
[[nodiscard]] ValueReaches reaches_from(const CalibrationTable& table, const Graph& prepared);

}  // namespace detent
