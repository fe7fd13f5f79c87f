#pragma once

#include <filesystem>
#include <memory>

#include "detent/quantize.h"
#include "pipeline/latency/latency_command.h"
#include "pipeline/parts/attempt.h"
#include "tune/bound_judge.h"
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

/// Looks for the fastest file within the accuracy, with at most 20 calls of the command, 10 where its table knows other
/// networks of the machine; the float model, the cast one and the default file are among them.
///
/// Accuracy  with `judge` the bound holds; otherwise the SQNR on up to 64 calibration samples is at most 1 dB below
///           the default file's. Files beyond are not timed.
/// Choice    a file counts as faster only beyond the noise of the command. Among equals the default is taken, then
///           other pairs, then the float model.
/// Outcome   the attempt becomes that of the chosen pairs, and `options` those that make them by hand;
///           LatencyTimer::chosen is set where the file has none. The table is extended and written.
/// Interrupted after the default was judged: the fastest file that was checked is written to the output first.
/// Errors    InvalidOption where the engine takes neither the float nor the default file; those of measuring and of the
///           command.
[[nodiscard]] LatencyReport find_fastest(Attempt& attempt, QuantizeOptions& options, LatencyTimer& timer,
                                         const BoundJudge* judge);

/// Writes the float or cast file of the timer to the output, and fills the report's facts of it.
/// Errors  CannotWrite.
void write_without_pairs(const LatencyTimer& timer, const QuantizeOptions& options, QuantizeReport& report);

}  // namespace detent
