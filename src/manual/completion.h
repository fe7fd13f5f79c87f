#pragma once

#include <span>
#include <string>

#include "manual/command_page.h"

namespace detent::manual {

/// Scripts that complete commands, options, choices and files. `pages` as all_pages() gives them.
[[nodiscard]] std::string bash_completion(std::span<const CommandPage> pages);
[[nodiscard]] std::string zsh_completion(std::span<const CommandPage> pages);
[[nodiscard]] std::string fish_completion(std::span<const CommandPage> pages);

/// The words behind the program's name: "cache export"; empty for the program.
[[nodiscard]] std::string words_below(const CommandPage& page);

/// The first sentence of an option's text on one line, which is what a list has room for.
[[nodiscard]] std::string short_text(const std::string& text);

}  // namespace detent::manual
