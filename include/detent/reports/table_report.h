#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detent/reports/calibration_report.h"

namespace detent {

/// The content of a calibration table.
struct TableReport {
  std::string table;  ///< path
  uintmax_t bytes = 0;
  std::string model_fingerprint;
  std::vector<std::string> tools, instruction_sets;
  std::string equalize;  ///< as it was asked for; empty: not
  size_t equalized_values = 0;
  std::vector<std::string> targets;  ///< empty: every value that any target could quantize
  std::vector<std::string> shards;   ///< "1/1", "2/4", "2/4 partial"
  bool partial = false;
  std::vector<std::string> missing_shards;  ///< "3/4", "7-9/16", "2/4 (interrupted)": to be added for a whole
  std::vector<std::string> samples;         ///< names, in the order of the table
  struct Value {
    std::string name;
    uint64_t count = 0, zeros = 0, nans = 0, infinities = 0;
    double min = 0, max = 0;
    int log2_width = 0;
    size_t bins_in_use = 0;
    std::optional<double> scale;  ///< imported: nothing else is known
    /// Of a value [sequences, tokens, channels]: the largest |x| of single tokens and channels.
    struct Tokens {
      double first = 0;            ///< of the first tokens of the sequences (where attention sinks are)
      double median = 0, p99 = 0;  ///< that half and 99 % of the other tokens do not exceed, to an eighth of it
      double others = 0;           ///< of all other tokens
      size_t channels = 0, largest_channel = 0;
      double median_channel = 0;  ///< that half of the channels do not exceed
      size_t wide_channels = 0;   ///< that reach half of what the largest does
    };
    std::optional<Tokens> tokens;  ///< absent: no token axis, or not measured
  };
  std::vector<Value> values;
  size_t float_values = 0;        ///< whose reach is known, for 16-bit float types; 0: not measured
  bool kept = false;              ///< the table was there, complete: nothing was written
  std::optional<double> seconds;  ///< of the pass that made it
  size_t measured = 0;            ///< samples of that pass; the table's others were measured before it
  size_t skipped_samples = 0;
  OutlierReport outliers;
};

}  // namespace detent
