#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "detent/options/latency_options.h"
#include "detent/reports/latency_report.h"

namespace detent {

/// A temporary folder for files to time, which is removed with this object.
class LatencyFolder {
 public:
  /// Errors  CannotWrite.
  LatencyFolder();
  ~LatencyFolder();
  LatencyFolder(const LatencyFolder&) = delete;
  LatencyFolder& operator=(const LatencyFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Answer of a command about one file.
struct LatencyAnswer {
  std::optional<double> ms;  ///< absent: the engine does not take the file
  std::string refusal;       ///< why
  double seconds = 0;
};

/// True for the name of a ready command, also followed by options.
[[nodiscard]] bool is_ready_command(const std::string& command);

/// A user's command, or a ready one, that times files.
class LatencyCommand {
 public:
  /// Writes a ready command into the folder, which must outlive this object.
  /// Errors  CannotWrite.
  LatencyCommand(const LatencyOptions& options, const LatencyFolder& folder);

  /// Calls the command.
  ///
  /// * It prints milliseconds as the last line: the answer. A line before it that is a JSON object says which engine
  ///   and machine they come from (machine()).
  /// * It exits with another status than 0: a refusal, with the last line of stderr.
  /// * A ready command exits with 2 or 3: its options are wrong, or the engine is not installed.
  /// * It takes longer than the limit: all its processes are ended, and that is a refusal.
  /// Errors  InvalidOption where it cannot be run (status 126 or 127, of a ready one also 2 or 3), and where it exits
  ///         with 0 without printing a positive number; Interrupted.
  [[nodiscard]] LatencyAnswer ask(const std::filesystem::path& model);

  /// The engine and machine of the answers so far.
  [[nodiscard]] const LatencyMachine& machine() const { return machine_; }
  [[nodiscard]] size_t calls() const { return calls_; }

 private:
  void read_machine(const std::string& out);

  LatencyOptions options_;
  std::string shell_;
  bool ready_ = false;  ///< one of Detent's own
  LatencyMachine machine_;
  size_t calls_ = 0;
};

/// Asks once, for a comparison.
/// Errors  those of LatencyCommand::ask().
[[nodiscard]] ComparedLatency compared_latency(LatencyCommand& command, const std::filesystem::path& model);

}  // namespace detent
