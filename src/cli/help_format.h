#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace detent::cli {

/// Returns the width of help in columns: COLUMNS, else the terminal's width, else 100; at least 40, at most 120.
[[nodiscard]] size_t help_width();

/// Breaks `text` at blanks into lines of at most `width` characters; continuation lines are indented by `indent`. A
/// longer word gets a line of its length. Line breaks in the text stay. The result ends with a newline.
[[nodiscard]] std::string wrapped(std::string_view text, size_t width, size_t indent);

/// Breaks the lines of a report for a terminal of `width` columns: sentences at blanks, with continuation lines
/// indented. Of a table (three blanks in a row) that is too wide, long names of the first column stand on a line of
/// their own, and the text of a last column goes on below itself. Commands to copy ("next: ...") stay whole: they are
/// one line.
[[nodiscard]] std::string wrapped_report(std::string_view report, size_t width);

/// Breaks a command line before options, with " \" at the end of lines, indented by `indent`, so that it can be copied
/// to a shell. `command` is one line, or several that end in "\".
[[nodiscard]] std::string wrapped_command(std::string_view command, size_t width, size_t indent);

/// Makes CLI11's help with lines within `width`; lines "  detent ..." of footers are wrapped as commands. Of an
/// option's text it has the first sentence, or all where `long_help`, which must outlive it, has a value.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> make_help_formatter(size_t width,
                                                                      const std::optional<std::string>& long_help);

/// Returns the first sentence of an option's text, without its period.
[[nodiscard]] std::string first_sentence(const std::string& text);

}  // namespace detent::cli
