#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent::manual {

/// The completions that a shell offers behind an option or for a positional.
enum class Offer : unsigned char { Nothing, Choices, Files, Folders };

/// An option or positional with the properties that `--help` shows.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-o", "--output"; of a positional "MODEL"
  bool positional = false, required = false, repeats = false;
  bool takes_value = false, value_may_miss = false;
  std::string value;     ///< "OUT.onnx"; empty: a flag
  std::string fallback;  ///< the default; empty: none
  std::string group;     ///< "Data"; empty: the general ones
  std::string text;      ///< a paragraph; early line ends stay
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

/// Returns the pages of the program and of each command with those below it, in the order of `--help`.
[[nodiscard]] std::vector<CommandPage> all_pages(const CLI::App& program);

/// Return scripts that complete commands, options, choices and files. `pages` as all_pages() gives them.
[[nodiscard]] std::string bash_completion(std::span<const CommandPage> pages);
[[nodiscard]] std::string zsh_completion(std::span<const CommandPage> pages);
[[nodiscard]] std::string fish_completion(std::span<const CommandPage> pages);

/// Returns the manual page of `page` in the macros of man(7), section 1. `pages` are all pages, for "SEE ALSO".
[[nodiscard]] std::string man_page(const CommandPage& page, std::span<const CommandPage> pages);

/// Returns the name of the file: "detent-cache-export.1".
[[nodiscard]] std::string man_file(const CommandPage& page);

/// Returns the words behind the program's name: "cache export"; empty for the program.
[[nodiscard]] std::string words_below(const CommandPage& page);

/// Returns the shell function that completes a command: "_detent_cache_export".
[[nodiscard]] std::string function_name(const CommandPage& page);

/// Texts of `detent help [COMMAND] [--long]`, which the parser does not know as a command.
inline constexpr std::string_view kHelpSummary = "Show the options of a command and an example";
inline constexpr std::string_view kHelpLong = "Explain the options in full and show the manual of the command";
/// Returns the program's commands with blanks between them.
[[nodiscard]] std::string command_names(std::span<const CommandPage> pages);

/// Returns the first sentence of an option's text on one line.
[[nodiscard]] std::string short_text(const std::string& text);

}  // namespace detent::manual
