#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "detent/reports/latency_report.h"
#include "tune/latency/latency_model.h"

namespace detent {

/// The key of a change in tables.
struct GroupKind {
  std::string change;   ///< "float Conv depthwise", "activation int8"
  double share = 0;     ///< of the network's work that it changes, in (0, 1]
  double elements = 0;  ///< mean elements of a node's output; 0 where open

  bool operator==(const GroupKind&) const = default;
};

/// The measured effect of a change on one network.
struct LearnedGroup {
  GroupKind kind;
  TimeBelief effect;  ///< on the default file's time, as a part of it; below 0 it saves time
};

/// The measurements of one network on one machine.
struct LearnedNetwork {
  std::string model;        ///< name of its file
  std::string fingerprint;  ///< of the float model
  double float_ratio = 0;   ///< float model's time as a part of the default's; 0: not taken
  double noise = 0;
  std::vector<LearnedGroup> groups;
};

/// Times that were measured on machines, kept in a file.
class LatencyTable {
 public:
  /// Reads a file; without one, or with an empty path, the table is empty.
  /// Errors  InvalidData beginning with the path, for a file that is no such table.
  explicit LatencyTable(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The machines in the order they were measured.
  [[nodiscard]] const std::vector<LatencyMachine>& machines() const { return machines_; }
  /// Returns the networks that were measured on a machine, except the one with this fingerprint ("": none).
  [[nodiscard]] std::vector<LearnedNetwork> networks_of(const LatencyMachine& machine,
                                                        const std::string& except = "") const;
  /// Adds a network of a machine; one with its fingerprint is replaced.
  void learn(const LatencyMachine& machine, LearnedNetwork network);
  /// Adds what was learned to the file as it is now, under a lock: runs that share a table lose nothing of each other.
  /// The file is replaced at once and as a whole, also where the run fails later. Nothing with an empty path.
  /// Errors  CannotWrite; those of reading.
  void save();

 private:
  std::filesystem::path path_;
  std::vector<LatencyMachine> machines_;
  std::vector<std::vector<LearnedNetwork>> networks_;  ///< by machine
  std::vector<std::pair<LatencyMachine, LearnedNetwork>> learned_;
};

/// The effect that other networks let expect of a change.
struct ExpectedEffect {
  TimeBelief effect = LatencyModel::kUnknownEffect;
  size_t networks = 0;  ///< that knew the change; 0: the effect is unknown
};
/// Returns the mean of the effects of the same change, each in proportion to the share of work, weighed by how near the
/// sizes of nodes are. The deviation holds their spread and their errors.
[[nodiscard]] ExpectedEffect expected_effect(const std::vector<LearnedNetwork>& networks, const GroupKind& kind);

/// A change of a plan, for forecasts.
struct PlannedPart {
  std::string name;
  GroupKind kind;
  size_t nodes = 0;
};
/// Returns the expectation for a plan with these changes on each machine that knows any of them.
[[nodiscard]] std::vector<LatencyForecast> forecasts_of(const LatencyTable& table,
                                                        const std::vector<PlannedPart>& parts);

}  // namespace detent
