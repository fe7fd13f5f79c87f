#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// The file that a search by latency chose.
enum class LatencyChoice : uint8_t {
  Float,    ///< the float model
  Cast,     ///< the float model in 16 bits, without pairs
  Default,  ///< what is written without a latency command
  Variant   ///< other pairs
};

/// Returns "float", "cast", "default" or "variant".
[[nodiscard]] constexpr std::string_view name_of(LatencyChoice choice) {
  constexpr std::string_view kNames[] = {"float", "cast", "default", "variant"};
  return kNames[static_cast<size_t>(choice)];
}

/// The engine and machine that answer a command, as far as it says.
struct LatencyMachine {
  std::string engine, version;  ///< "onnxruntime", "1.30.0"; of a command that names no engine its text, and ""
  std::string device;           ///< "AMD EPYC"; the CPU's name where the command names none
  std::string threads, batch;   ///< "2", "1"; may be empty

  bool operator==(const LatencyMachine&) const = default;
};

/// The measurements that found the fastest file within the accuracy that was asked for.
struct LatencyReport {
  /// One call of the command.
  struct Call {
    std::string what;  ///< "float", "cast fp16", "default", or what differs from the default file
    LatencyChoice file = LatencyChoice::Variant;
    std::optional<double> ms;  ///< absent: the engine does not take the file
    std::string refusal;       ///< the last line of stderr then
    /// At the worst output, on the samples of the search; infinite: exact. Absent: not measured, as without data.
    std::optional<double> sqnr_db;
    double seconds = 0;  ///< of the call
  };
  /// A part of the network that was tried with another precision or form.
  struct Group {
    std::string name;                  ///< "depthwise convolutions float", "int8 activations"
    size_t nodes = 0;                  ///< that it changes; 0: all
    std::optional<double> gain;        ///< estimated part of the default's time that it saves; below 0 a loss
    double error = 0;                  ///< standard error of `gain`
    bool chosen = false;               ///< in the written file
    std::string left_out;              ///< why it was not tried; empty: it was
    std::vector<std::string> options;  ///< words of a command line that make the change: {"--activation", "int8"}
  };
  /// A file within the accuracy that no other one beats: none is as fast, as small and as accurate, and better in one.
  struct Front {
    std::string what;  ///< Call::what
    double ms = 0;     ///< mean of its calls
    uint64_t bytes = 0;
    std::optional<double> sqnr_db;  ///< as in Call
    std::optional<double> score;    ///< in the metric of a bound on a task; absent without
    bool chosen = false;            ///< the written file
  };
  std::string command;  ///< as given
  LatencyMachine machine;
  LatencyChoice chosen = LatencyChoice::Default;
  std::string chosen_what;                                         ///< Call::what of the written file
  std::optional<double> float_ms, cast_ms, default_ms, chosen_ms;  ///< means of the calls; absent: not taken, not asked
  double noise = 0;             ///< standard deviation of a call, as a part of its time
  std::string limit;            ///< on accuracy: "--max-drop 0.01", "1 dB below the default's SQNR"
  std::vector<Call> calls;      ///< in their order
  std::vector<Front> front;     ///< the fastest first
  std::vector<Group> groups;    ///< the largest gain first
  size_t too_inaccurate = 0;    ///< files that were beyond the limit, which the command did not see
  std::string table;            ///< path of the table; empty: none
  size_t learned_networks = 0;  ///< of the same machine in the table, before this one
  double seconds = 0;           ///< of the whole search
};

/// Expectation of a table of measured latencies of a plan on one machine.
struct LatencyForecast {
  struct Part {
    std::string name;     ///< LatencyReport::Group::name
    size_t nodes = 0;     ///< of the plan
    double gain = 0;      ///< expected part of the quantized file's time that it saves as float; below 0 a loss
    double error = 0;     ///< standard error
    size_t networks = 0;  ///< that the table knows it from
  };
  std::string table;  ///< path
  LatencyMachine machine;
  size_t networks = 0;      ///< that were measured there
  std::vector<Part> parts;  ///< known ones, the largest gain first
  /// Expected time of the quantized file as a part of the float model's; absent where the known parts have less than
  /// half of the layers on codes.
  std::optional<double> ratio;
  double ratio_error = 0;  ///< standard error
};

/// Times of one compared model; absent members: not asked.
struct ComparedLatency {
  std::optional<double> ms;  ///< absent: the engine does not take the file
  std::string refusal;       ///< the last line of stderr then
};

}  // namespace detent
