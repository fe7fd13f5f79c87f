#pragma once

#include <string_view>

namespace detent::cli {

/// "1a2b3c4d5e6f", "1a2b3c4d5e6f-changed" where the sources were changed since; empty where nobody knows. Made when Detent is built.
[[nodiscard]] std::string_view commit();

}  // namespace detent::cli
