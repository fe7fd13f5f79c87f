#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/content_hash.h"
#include "detent/base/histogram.h"
#include "equalize/equalization.h"
#include "observe/float_reach.h"
#include "observe/token_reach.h"

namespace detent {

/// The identity of a measured sample: its name in the data source and its content. The name alone would not tell two
/// folders with equal file names apart, the content alone not two copies of an image.
struct TableSample {
  std::string name;
  Digest content;  ///< of the input tensors, in the order of the inputs
  friend auto operator<=>(const TableSample&, const TableSample&) = default;
};

/// Part `index` of `count` of a data set. All parts of one count together are the whole: 1 of 1.
struct TableShard {
  uint32_t count = 1, index = 1;
  bool partial = false;  ///< interrupted: some of its samples are missing
  friend auto operator<=>(const TableShard&, const TableShard&) = default;
};

/// A value in a table.
struct TableValue {
  Histogram histogram;
  std::vector<Extremes> extremes;  ///< in each of the table's samples, in their order; empty: not known
  float scale = 0;                 ///< > 0: imported; amax is 127 * scale in double, and the histogram is empty
  friend bool operator==(const TableValue&, const TableValue&) = default;
};

/// The result of calibration: a histogram per value. Every list is sorted, so equal tables are equal bytes.
struct CalibrationTable {
  std::string model;                          ///< fingerprint() of the model as read, as hex
  std::vector<std::string> tools;             ///< "detent 0.1.0", each once
  std::vector<std::string> instruction_sets;  ///< each once; several after merging with --mixed-isa
  std::vector<std::string> targets;           ///< covered; empty: every value that any target could quantize
  std::vector<TableShard> shards;
  std::vector<TableSample> samples;
  std::map<std::string, TableValue> values;
  /// Values that share one scale in the default placement for tensorrt; for caches, which name no model.
  std::vector<std::vector<std::string>> groups;
  TableReaches reaches;  ///< of all values that nodes make, and of the inputs; empty: not measured
  TableTokens tokens;    ///< of the values that may have a token axis; empty: none has, or not measured

  std::string equalize;       ///< the user's request: "auto", "gate,relu:0.75"; empty: nothing
  Equalization equalization;  ///< applied to the model before it was measured

  [[nodiscard]] bool partial() const;       ///< some shard is partial
  [[nodiscard]] bool has_extremes() const;  ///< extremes of every value in every sample are known
  [[nodiscard]] bool imported() const;      ///< holds scales instead of histograms
  friend bool operator==(const CalibrationTable&, const CalibrationTable&) = default;
};

/// Returns the content of a .dct file: calibration_table.proto.
[[nodiscard]] std::string table_to_bytes(const CalibrationTable& table);
/// Reads a table. Errors  InvalidData: no calibration table, truncated or damaged (checksum), of a newer format,
/// impossible histograms.
[[nodiscard]] CalibrationTable table_from_bytes(std::string_view bytes);

/// True when the file begins like a calibration table, damaged or not. A file that cannot be read -> false.
[[nodiscard]] bool is_table_file(const std::filesystem::path& path);
/// Reads a table. Errors  those of table_from_bytes and InvalidData for a file that cannot be read, after the path.
[[nodiscard]] CalibrationTable read_table(const std::filesystem::path& path);
/// Writes a table. Errors  CannotWrite, without `overwrite` also when the file exists.
void write_table(const CalibrationTable& table, const std::filesystem::path& path, bool overwrite = true);

}  // namespace detent
