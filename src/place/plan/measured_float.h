#pragma once

#include <map>
#include <string>

namespace detent {

/// Nodes that stay float for what was measured (R13, R15), by name, each with the reason that the plan gives.
struct MeasuredFloat {
  std::map<std::string, std::string>
      costly;  ///< quantizing them costs more than is allowed. Included nodes are quantized
  /// Readers of a value of the residual stream which INT8 ruins. A name of no node has no effect: the same names serve
  /// the model before and after its types are changed.
  std::map<std::string, std::string> ruined;

  bool operator==(const MeasuredFloat&) const = default;
};

}  // namespace detent
