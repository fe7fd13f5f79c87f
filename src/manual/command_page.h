#pragma once

#include <CLI/CLI.hpp>
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

/// Everything that the manual and the completions say of `app`. `parents` are the names before its own, each with a blank behind.
[[nodiscard]] CommandPage page_of(const CLI::App& app, const std::string& parents = "");

/// page_of the program, then of each command with those below it, in the order of `--help`.
[[nodiscard]] std::vector<CommandPage> all_pages(const CLI::App& program);

/// What stands behind the last "Example" of a footer, and the footer without it.
struct SplitFooter {
  std::string text, example;
};
[[nodiscard]] SplitFooter split_footer(std::string_view footer);

}  // namespace detent::manual
