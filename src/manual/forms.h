#pragma once

#include <span>
#include <string>

#include "manual/command_page.h"

namespace detent::manual {

/// Scripts that complete commands, options, choices and files. `pages` as all_pages() gives them.
[[nodiscard]] std::string bash_completion(std::span<const CommandPage> pages);
[[nodiscard]] std::string zsh_completion(std::span<const CommandPage> pages);
[[nodiscard]] std::string fish_completion(std::span<const CommandPage> pages);

/// The manual page of `page` in the macros of man(7), section 1. `pages` are all of them, for the list of commands and "SEE ALSO".
[[nodiscard]] std::string man_page(const CommandPage& page, std::span<const CommandPage> pages);

/// "detent-cache-export.1".
[[nodiscard]] std::string man_file(const CommandPage& page);

/// The words behind the program's name: "cache export"; empty for the program.
[[nodiscard]] std::string words_below(const CommandPage& page);

/// "_detent_cache_export", the function of a shell that completes a command.
[[nodiscard]] std::string function_name(const CommandPage& page);

/// The first sentence of an option's text on one line, which is what a list has room for.
[[nodiscard]] std::string short_text(const std::string& text);

}  // namespace detent::manual
