#pragma once

#include <filesystem>

#include "detent/inspect.h"
#include "observe/calibration_table.h"

namespace detent {

/// Describes a table: its values, samples, shards and the tools that made it.
/// path  the file it was read from or written to, whose size is reported.
[[nodiscard]] TableReport describe_table(const CalibrationTable& table, const std::filesystem::path& path);

}  // namespace detent
