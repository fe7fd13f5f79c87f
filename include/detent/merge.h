#pragma once

#include <filesystem>
#include <vector>

#include "detent/base/api.h"
#include "detent/reports/table_report.h"

namespace detent {

struct MergeTablesOptions {
  std::vector<std::filesystem::path> tables;
  std::filesystem::path output;
  bool mixed_isa = false;  ///< accept tables measured with different instruction sets
  bool partial = false;    ///< accept that shards are missing or were interrupted
  bool resume = false;     ///< keep an OUTPUT that already holds this sum, unless `overwrite`
  bool overwrite = false;
};

/// Adds the calibration tables of shards.
/// Errors  InvalidData for a file that is not a table; TableMismatch naming the table that does not fit those before
///         it; CheckFailed naming the missing shards, and nothing is written; CannotWrite.
[[nodiscard]] DETENT_API TableReport merge_tables(const MergeTablesOptions& options);

}  // namespace detent
