#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace detent::cli {

/// Returns the width of help in columns: COLUMNS, else the terminal's width, else 100; at least 40, at most 120.
[[nodiscard]] size_t help_width();

/// Breaks `text` at blanks into lines of at most `width` characters; continuation lines are indented by `indent`. A
/// longer word gets a line of its length. Line breaks in the text stay. The result ends with a newline.

/// Breaks a command line before options, with " \" at the end of lines, indented by `indent`, so that it can be copied
/// to a shell. `command` is one line, or several that end in "\".

/// Makes CLI11's help with lines within `width`; lines "  detent ..." of footers are wrapped as commands.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> make_help_formatter(size_t width);

}  // namespace detent::cli
