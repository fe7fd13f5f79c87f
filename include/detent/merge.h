#pragma once

#include <filesystem>
#include <vector>

#include "detent/base/api.h"
#include "detent/reports/table_report.h"

namespace detent {

struct MergeTablesOptions {
  std::vector<std::filesystem::path> tables;
  std::filesystem::path output;
  bool mixed_isa = false;  ///< accept tables measured with kernels for other CPUs
  bool partial = false;    ///< accept that shards are missing or were interrupted
  bool resume = false;     ///< an OUTPUT that holds this very sum is kept, unless `overwrite`
  bool overwrite = false;
};

/// Adds the tables of shards to one.
/// Errors  InvalidData for a file that is no table; TableMismatch naming the table that does not fit those before it;
///         CheckFailed naming the shards that are missing, and nothing is written; CannotWrite.
[[nodiscard]] DETENT_API TableReport merge_tables(const MergeTablesOptions& options);

}  // namespace detent
