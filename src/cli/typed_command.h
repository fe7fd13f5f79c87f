#pragma once

#include <span>
#include <string>

namespace detent::cli {

/// "detent" and the arguments as a shell takes them; those with characters that mean something to one stand in single quotes.
[[nodiscard]] std::string typed_command(std::span<const char* const> arguments);

}  // namespace detent::cli
