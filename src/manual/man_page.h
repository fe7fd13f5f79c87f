#pragma once

#include <span>
#include <string>

#include "manual/command_page.h"

namespace detent::manual {

/// The manual page of `page` in the macros of man(7), section 1. `pages` are all of them, for the list of commands and "SEE ALSO".
[[nodiscard]] std::string man_page(const CommandPage& page, std::span<const CommandPage> pages);

/// "detent-cache-export.1".
[[nodiscard]] std::string man_file(const CommandPage& page);

}  // namespace detent::manual
