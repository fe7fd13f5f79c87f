#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "detent/quantize.h"
#include "pipeline/latency/latency_command.h"
#include "tune/latency/latency_table.h"

namespace detent {

/// The command of a search, its folder and its table, opened before anything long begins.
struct LatencyTimer {
  LatencyFolder folder = {};
  LatencyCommand command;
  LatencyTable table;
  LatencyAnswer of_float;        ///< of the float model as it was given
  std::filesystem::path chosen;  ///< the float or cast file that is to be written without pairs; empty: pairs are

  // the file that is written if the work is interrupted; empty: none
  std::filesystem::path kept = {};
  std::string kept_what = {};
  size_t calls = 0;  ///< that its search made

  explicit LatencyTimer(const QuantizeOptions& options);
};

/// Opens the command and times the float model, so that a command that cannot be run is found out at once; nullptr
/// where no latency is asked for.
/// Errors  Usage for a search without data, beside --stop-after, and for a target that takes no pairs; those of
///         LatencyCommand and LatencyTable.
[[nodiscard]] std::unique_ptr<LatencyTimer> begin_latency(const QuantizeOptions& options);

/// Writes the float or cast file of the timer to the output, and fills the report's facts of it.
/// Errors  CannotWrite.
void write_without_pairs(const LatencyTimer& timer, const QuantizeOptions& options, QuantizeReport& report);

/// Writes the file that the timer keeps, if any, with its external data over the output and says so. Also after an
/// interruption, which ends every other writer.
/// Errors  CannotWrite.
void write_kept(const LatencyTimer& timer, const QuantizeOptions& options);

}  // namespace detent
