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
  std::string term;                        ///< of an Item "*" or "1.", of a Row its first cell
  std::string text;                        ///< of Code its lines without the indent, each with its line break
  std::vector<std::string> cells = {};     ///< of a Row of more than two columns
  std::vector<std::string> headings = {};  ///< of the first of such Rows
};

/// Returns the paragraphs of a command's page and of the section "Exit status" of the program's page. `command` is
/// without "detent": "cache export", whose page is that of "cache"; "" for the program.
[[nodiscard]] std::vector<ManualBlock> manual_of(std::string_view command);

/// Returns the manual of a command for a terminal, in lines of at most `width` characters except in code: commands
/// there that are wider end in "\". Tables of more than two columns stay tables where their words fit.
[[nodiscard]] std::string manual_text(std::string_view command, size_t width);

}  // namespace detent::cli
