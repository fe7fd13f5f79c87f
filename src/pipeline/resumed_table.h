#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "detent/data_source.h"
#include "detent/run_settings.h"
#include "observe/calibration_table.h"

namespace detent {

// What --resume finds. `empty` is the table that is to be measured, without samples.

/// The table that an interrupted run of the same calibration left. Without a file there is nothing to go on with: a job that is
/// started again and again may always say --resume.
/// Errors  those of read_table; TableMismatch when it is of another shard, model, set of values or CPU.
[[nodiscard]] std::optional<CalibrationTable> read_partial(const std::filesystem::path& path,
                                                           const CalibrationTable& empty);

/// The complete table that an earlier run left. One that another kind of CPU measured is as good, unless `isa` asks for one.
/// Errors  those of read_table; TableMismatch as above.
[[nodiscard]] CalibrationTable read_complete(const std::filesystem::path& path, const CalibrationTable& empty,
                                             const std::string& isa);

/// Reads all samples, to compare names and contents; runs none.
/// Errors  TableMismatch when they are not those of the table; those of reading; Interrupted.
void check_samples(const DataSource& source, const CalibrationTable& table, const RunSettings& settings);

}  // namespace detent
