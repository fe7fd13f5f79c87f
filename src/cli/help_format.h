#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace detent::cli {

/// Columns that help may take: COLUMNS where it is a number, else those of the terminal behind standard output, else
/// 100; at least 40, at most 120.
[[nodiscard]] size_t help_width();

/// `text` broken at blanks into lines of at most `width` characters, those behind the first `indent` further in; a
/// longer word stands alone. Line breaks in it stay. Ends with a newline.
[[nodiscard]] std::string wrapped(std::string_view text, size_t width, size_t indent);

/// A report for a terminal of `width` columns: sentences are broken at blanks, with what follows further in. Lines of
/// tables (three blanks in a row) and commands to copy ("next: ...") stay whole.
[[nodiscard]] std::string wrapped_report(std::string_view report, size_t width);

/// A command line broken before options, with " \" at the end of lines, `indent` characters in; it can be copied to a
/// shell. `command`  one line, or several that end in "\".
[[nodiscard]] std::string wrapped_command(std::string_view command, size_t width, size_t indent);

/// CLI11's help with every line within `width`, and footers whose lines "  detent ..." are wrapped as commands.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> make_help_formatter(size_t width);

}  // namespace detent::cli
