#pragma once

#include <filesystem>
#include <memory>

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

/// Copies a written model with its external data over another file, also after an interruption, which ends every other
/// writer.
/// Errors  CannotWrite.
void copy_model(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace detent
