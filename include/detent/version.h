#pragma once

#include <string>

namespace detent {

/// "detent 0.1.0".
[[nodiscard]] std::string tool_version();
/// "0.1.0".
[[nodiscard]] std::string version_number();
/// "detent 0.1.0" and the libraries' versions, one a line.
[[nodiscard]] std::string version_text();

}  // namespace detent
