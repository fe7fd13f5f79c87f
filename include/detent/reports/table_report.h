#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detent/reports/calibration_report.h"

namespace detent {

/// Content of a calibration table.
struct TableReport {
  std::string table;  ///< path
  uintmax_t bytes = 0;
  std::string model_fingerprint;
  std::vector<std::string> tools, instruction_sets;
  std::string equalize;  ///< requested equalization; empty: none
  size_t equalized_values = 0;
  std::vector<std::string> targets;  ///< empty: every value that any target could quantize
  std::vector<std::string> shards;   ///< "1/1", "2/4", "2/4 partial"
  bool partial = false;
  std::vector<std::string> missing_shards;  ///< "3/4", "7-9/16", "2/4 (interrupted)": to be added
  std::vector<std::string> samples;         ///< names, in the table's order
  struct Value {
    std::string name;
    uint64_t count = 0, zeros = 0, nans = 0, infinities = 0;
    double min = 0, max = 0;
    int log2_width = 0;
    size_t bins_in_use = 0;
    std::optional<double> scale;  ///< imported; then nothing else is known of the value
    /// Largest |x| of single tokens and channels, for a value [sequences, tokens, channels].
    struct Tokens {
      double first = 0;            ///< of the first token of each sequence (attention sinks)
      double median = 0, p99 = 0;  ///< that half and 99 % of the other tokens do not exceed, within an eighth
      double others = 0;           ///< of all other tokens
      size_t channels = 0, largest_channel = 0;
      double median_channel = 0;  ///< that half of the channels do not exceed
      size_t wide_channels = 0;   ///< with at least half of the largest channel's
    };
    std::optional<Tokens> tokens;  ///< absent: no token axis, or not measured
  };
  std::vector<Value> values;
  size_t float_values = 0;        ///< whose largest |x| is known, for 16-bit float types; 0: not measured
  bool kept = false;              ///< the complete table existed and nothing was written
  std::optional<double> seconds;  ///< of the pass that made the table
  size_t measured = 0;            ///< samples of that pass; the others were measured before
  size_t skipped_samples = 0;
  OutlierReport outliers;
};

}  // namespace detent
