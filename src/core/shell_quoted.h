#pragma once

#include <string>
#include <string_view>

namespace detent {

/// Returns an argument as a POSIX shell reads it back: plain words as they are, others in single quotes.
[[nodiscard]] std::string shell_quoted(std::string_view argument);

}  // namespace detent
