#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace detent {

/// Returns "cannot be opened: No such file or directory": what failed and the system's reason.
[[nodiscard]] inline std::string with_system_reason(std::string_view what, int reason = errno) {
  return std::string(what) + ": " + std::strerror(reason);
}

}  // namespace detent
