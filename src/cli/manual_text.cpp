#include "cli/manual_text.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "cli/help_format.h"
#include "core/text.h"
#include "detent/plan.h"

namespace detent::cli {

namespace {

using Kind = ManualBlock::Kind;

/// Returns the cells of "| a | b |", without the blanks around them.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (size_t at = 1; at < line.size();) {
    const size_t end = std::min(line.find(" |", at), line.size());
    const size_t first = std::min(line.find_first_not_of(' ', at), end);
    cells.push_back(line.substr(first, end - first));
    at = end + 2;
  }
  return cells;
}

/// Makes a block of a row. Cells behind the second column begin with their heading.
ManualBlock row_of(const std::vector<std::string>& cells, const std::vector<std::string>& headings) {
  ManualBlock row{Kind::Row, cells.front(), cells.size() == 2 ? cells[1] : ""};
  for (size_t i = 1; cells.size() > 2 && i < cells.size(); ++i)
    if (!cells[i].empty()) row.text += (row.text.empty() ? "" : "; ") + headings[i] + " " + cells[i];
  return row;
}

/// Returns the targets as a table in Markdown.
std::string target_table() {
  std::string table =
      "| target | of | activations | biases | other nodes | written as | rules in |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const TargetInfo& one : known_targets())
    table += "| " + std::string(one.is_default ? "`" + one.name + "`, " : "") + "`" + one.spec + "` | " + one.title +
             " | " + join(one.activations) + " | " + join(one.biases) + " | " + one.float_type + " | " +
             (one.takes_pairs ? "pairs" : "float model with a calibration cache") + " | " + one.page + " |\n";
  return table;
}

/// Returns the page with the table of targets in place of the line {{targets}}.
std::string with_targets(std::string_view page) {
  constexpr std::string_view kPlace = "{{targets}}\n";
  std::string text(page);
  const size_t at = text.find(kPlace);
  return at == std::string::npos ? text : text.replace(at, kPlace.size(), target_table());
}

/// Reads the Markdown of the pages: "## " headings, paragraphs, lists, tables and indented code.
std::vector<ManualBlock> blocks_of(std::string_view page) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))"), item(R"((\*|\d+\.) (.*))");
  std::vector<ManualBlock> blocks;
  std::vector<std::string> headings;
  bool continues = false;  // the line belongs to the paragraph or list entry above
  std::istringstream lines{with_targets(page)};
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (line.empty() || line.starts_with("# ")) {
      continues = false;
      headings.clear();
    } else if (line.starts_with("    ")) {
      if (blocks.empty() || blocks.back().kind != Kind::Code) blocks.push_back({Kind::Code, "", ""});
      blocks.back().text += line.substr(4) + "\n";
    } else if (line.starts_with("## ")) {
      blocks.push_back({Kind::Heading, "", line.substr(3)});
    } else if (line.starts_with("|")) {
      const std::vector<std::string> cells = cells_of(line);
      if (headings.empty())
        headings = cells;
      else if (!line.starts_with("| ---"))
        blocks.push_back(row_of(cells, headings));
    } else if (std::regex_match(line, found, item)) {
      blocks.push_back({Kind::Item, found[1], found[2]});
      continues = true;
    } else if (continues) {
      blocks.back().text += " " + line.substr(line.find_first_not_of(' '));
    } else {
      blocks.push_back({Kind::Text, "", line});
      continues = true;
    }
  }
  if (blocks.front().kind != Kind::Heading) blocks.insert(blocks.begin(), {Kind::Heading, "", "Description"});
  for (ManualBlock& block : blocks)
    if (block.kind != Kind::Code) block.text = std::regex_replace(block.text, link, "$1");
  return blocks;
}

}  // namespace

std::vector<ManualBlock> manual_of(std::string_view command) {
  std::vector<ManualBlock> program = blocks_of(kManualPages.at("detent"));
  if (command.empty()) return program;
  std::vector<ManualBlock> blocks = blocks_of(kManualPages.at(command.substr(0, command.find(' '))));
  const auto exits = std::ranges::find(program, "Exit status", &ManualBlock::text);
  blocks.insert(blocks.end(), exits, program.end());
  return blocks;
}

std::string manual_text(std::string_view command, size_t width) {
  std::string text;
  Kind before = Kind::Heading;
  for (const ManualBlock& block : manual_of(command)) {
    const bool list = block.kind == Kind::Item || block.kind == Kind::Row;
    if (before != Kind::Heading && !(list && block.kind == before)) text += "\n";
    before = block.kind;
    std::string words = block.term +
                        (block.kind == Kind::Row    ? ": "
                         : block.kind == Kind::Item ? " "
                                                    : "") +
                        block.text;
    if (block.kind != Kind::Code) std::erase(words, '`');
    if (block.kind == Kind::Heading) text += words + "\n";
    if (block.kind == Kind::Code) text += std::regex_replace(words, std::regex("(.*)\n"), "    $1\n");
    if (block.kind == Kind::Text) text += wrapped("  " + words, width, 0);
    if (block.kind == Kind::Row) text += wrapped("  " + words, width, 2);
    if (block.kind == Kind::Item) text += wrapped("  " + words, width, block.term.size() + 1);
  }
  return text;
}

}  // namespace detent::cli
