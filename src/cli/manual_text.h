#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace detent::cli {

/// The pages of src/manual/pages in Markdown, by name: "detent", "quantize", "cache". Defined when Detent is built.
extern const std::map<std::string_view, std::string_view> kManualPages;

/// A paragraph of a manual page. Code stays in backquotes in its texts.
struct ManualBlock {
  enum class Kind : unsigned char { Heading, Text, Item, Row, Code };
  Kind kind = Kind::Text;
  std::string term;  ///< of an Item "*" or "1.", of a Row its first cell
  std::string text;  ///< of Code its lines without the indent, each with its line break
};

/// Returns the paragraphs of a command's page and of the section "Exit status" of the program's page. `command` is
/// without "detent": "cache export", whose page is that of "cache"; "" for the program.
[[nodiscard]] std::vector<ManualBlock> manual_of(std::string_view command);

/// Returns the manual of a command for a terminal, in lines of at most `width` characters except in code.
[[nodiscard]] std::string manual_text(std::string_view command, size_t width);

}  // namespace detent::cli
