#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detent/base/tensor.h"
#include "detent/options/placement_options.h"
#include "tune/latency/latency_ledger.h"
#include "tune/latency/latency_table.h"

namespace detent {

/// A change of the default file that may make it faster: nodes that stay float, or another form of all pairs or of
/// some.
struct LatencyFactor {
  std::string name;                             ///< "depthwise convolutions float", "int8 activations"
  GroupKind kind = {};                          ///< what tables know it by
  std::vector<std::string> nodes = {};          ///< that stay float, in node order
  std::vector<std::string> fixed = {};          ///< that get a scale in advance beside scales at run time
  std::optional<DataType> activation = {};      ///< type of activations
  bool dynamic = false;                         ///< products find their scales at run time
  void (*policy)(PlacementOptions&) = nullptr;  ///< change of policies; nullptr: none
  std::vector<std::string> options = {};        ///< words of a command line that make the change

  /// Returns what a ledger knows it by: its nodes in float, or its name.
  [[nodiscard]] Changes changes() const { return nodes.empty() ? Changes{name} : Changes(nodes.begin(), nodes.end()); }
};

}  // namespace detent
