#pragma once

#include <string>

#include "detent/base/api.h"

namespace detent {

/// Returns "detent 0.1.0".
[[nodiscard]] DETENT_API std::string tool_version();
/// Returns "0.1.0".
[[nodiscard]] DETENT_API std::string version_number();
/// Returns "detent 0.1.0" and the libraries' versions, one a line.
[[nodiscard]] DETENT_API std::string version_text();

}  // namespace detent
