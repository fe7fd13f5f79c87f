#pragma once

#include <map>
#include <string>

namespace detent {

/// Nodes that stay float because of measurements (R13, R15), by name, each with the reason that the plan gives.
struct MeasuredFloat {
  /// Nodes whose quantization costs more than is allowed. Nodes that the user includes are quantized anyway.
  std::map<std::string, std::string> costly;
  /// Readers of a value of the residual stream that INT8 ruins. Unknown names have no effect: the same names serve the
  /// model before and after its types are changed.
  std::map<std::string, std::string> ruined;

  bool operator==(const MeasuredFloat&) const = default;
};

}  // namespace detent
