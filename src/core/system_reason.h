#pragma once

#include <cerrno>
#include <string>
#include <string_view>

namespace detent {

/// "cannot be opened: No such file or directory": what failed and the system's reason for it.
[[nodiscard]] std::string with_system_reason(std::string_view what, int reason = errno);

}  // namespace detent
