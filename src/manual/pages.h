#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent::manual {

/// What a shell offers behind an option, or for a positional.
enum class Offer : unsigned char { Nothing, Choices, Files, Folders };

/// One option or positional, as `--help` knows it.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-o", "--output"; of a positional "MODEL"
  bool positional = false, required = false, repeats = false;
  bool takes_value = false, value_may_miss = false;
  std::string value;     ///< "OUT.onnx"; empty: a flag
  std::string fallback;  ///< the default; empty: none
  std::string group;     ///< "Data"; empty: the general ones
  std::string text;      ///< a paragraph; lines that end early stay lines
  Offer offer = Offer::Nothing;
  std::vector<std::string> choices;
};

/// A command, or the program itself.
struct CommandPage {
  std::string name;  ///< "detent", "detent quantize", "detent cache export"
  std::string summary, footer, example;
  std::vector<OptionEntry> options;
  std::vector<const CLI::App*> below;  ///< its commands
};

/// The pages of the program, then of each command with those below it, in the order of `--help`.
[[nodiscard]] std::vector<CommandPage> all_pages(const CLI::App& program);

/// Scripts that complete commands, options, choices and files. `pages` as all_pages() gives them.
[[nodiscard]] std::string bash_completion(std::span<const CommandPage> pages);
[[nodiscard]] std::string zsh_completion(std::span<const CommandPage> pages);
[[nodiscard]] std::string fish_completion(std::span<const CommandPage> pages);

/// The manual page of `page` in the macros of man(7), section 1. `pages` are all of them, for the list of commands and
/// "SEE ALSO".
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
