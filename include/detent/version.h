#pragma once

#include <string>

namespace detent {

/// "detent 0.1.0".
[[nodiscard]] std::string tool_version();
/// "detent 0.1.0" and the libraries' versions, one a line.
[[nodiscard]] std::string version_text();

}  // namespace detent
