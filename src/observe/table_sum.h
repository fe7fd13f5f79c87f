#pragma once

#include <span>
#include <string>
#include <vector>

#include "observe/calibration_table.h"

namespace detent {

/// Options of merging.
struct TableMerging {
  bool mixed_instruction_sets = false;  ///< accept tables measured with kernels for other CPUs: other bits
};

/// Adds a table to another: histograms are added, samples and shards united, and the extremes of samples and the tokens
/// with them, unless one of the two has none. Commutative and associative; the bytes are those of one table of all
/// samples.
/// Errors  TableMismatch when the tables are of different models, cover different values, share a sample (the same
/// shard
///         twice), were measured with different instruction sets, or hold imported scales.
void merge_into(CalibrationTable& total, const CalibrationTable& part, const TableMerging& options = {});

/// Does only the check of merge_into.
void check_mergeable(const CalibrationTable& a, const CalibrationTable& b, const TableMerging& options = {});

/// Returns the shards sorted; every set of all parts 1..N of one count N becomes 1 of 1, which is listed once.
[[nodiscard]] std::vector<TableShard> united_shards(std::vector<TableShard> shards);

/// Returns the parts that united shards lack to be 1 of 1: "3/4", "7-9/16", "2/4 (interrupted)". Empty when none is.
[[nodiscard]] std::vector<std::string> missing_shards(std::span<const TableShard> shards);

}  // namespace detent
