#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/files/unfinished.h"
#include "detent/quantize.h"
#include "model/model.h"
#include "pipeline/latency/latency_command.h"
#include "tune/latency/latency_table.h"

namespace detent {

/// The command of a search, its folder and its table, opened before anything long begins.
struct LatencyTimer {
  LatencyFolder folder = {};
  LatencyCommand command;
  LatencyTable table;
  LatencyAnswer of_float;  ///< of the float model as it was given

  explicit LatencyTimer(const QuantizeOptions& options);

  /// Notes the file that is written if the work is interrupted.
  void keep(const std::filesystem::path& file, const std::string& what, size_t calls);

  /// The file to write, for which an interruption waits (core/files/unfinished.h).
  struct Kept {
    std::filesystem::path file;  ///< empty: none
    std::string what;
    size_t calls = 0;  ///< that the search made
  };
  Kept kept;

 private:
  std::filesystem::path output_;
  std::optional<WorkToFinish> work_;
};

/// Opens the command and times the float model, so that a command that cannot be run is found out at once; nullptr
/// where no latency is asked for.
/// Errors  Usage for a search without data, beside --stop-after, and for a target that takes no pairs; those of
///         LatencyCommand and LatencyTable.
[[nodiscard]] std::unique_ptr<LatencyTimer> begin_latency(const QuantizeOptions& options);

/// Writes a float or cast model to the output, and fills the report's facts of it.
/// Errors  CannotWrite.
void write_without_pairs(const Model& model, const QuantizeOptions& options, QuantizeReport& report);

/// Writes the file that the timer keeps, if any, to the output, with its external data, as the run would have written
/// it; says which file it is, and whether it is written.
void write_kept(const LatencyTimer& timer, const QuantizeOptions& options);

}  // namespace detent
