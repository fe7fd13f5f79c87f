#include "cli/manual_text.h"

#include <algorithm>
#include <numeric>
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
  if (cells.size() > 2) row.cells = cells;
  return row;
}

/// True where the last block is a row of more than two columns, and the first of its table.
bool is_first_row(const std::vector<ManualBlock>& blocks) {
  return !blocks.empty() && !blocks.back().cells.empty() && blocks.back().headings.empty() &&
         (blocks.size() == 1 || blocks[blocks.size() - 2].cells.size() != blocks.back().cells.size());
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
      if (is_first_row(blocks)) blocks.back().headings = headings;
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
  for (ManualBlock& block : blocks) {
    if (block.kind != Kind::Code) block.text = std::regex_replace(block.text, link, "$1");
    for (std::string& cell : block.cells) cell = std::regex_replace(cell, link, "$1");
  }
  return blocks;
}

using Rows = std::vector<std::vector<std::string>>;

/// Returns the widths of columns that fit into `width` with two blanks between them, the widest ones narrowed; empty
/// where words are too long for that.
std::vector<size_t> column_widths(const Rows& rows, size_t width) {
  std::vector<size_t> widths(rows.front().size(), 1), least(rows.front().size(), 1);
  for (const auto& row : rows)
    for (size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
      std::istringstream words{row[i]};
      for (std::string word; words >> word;) least[i] = std::max(least[i], word.size());
    }
  const auto used = [&] { return std::accumulate(widths.begin(), widths.end(), 2 * widths.size()); };
  while (used() > width) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    if (widest == widths.size()) return {};
    --widths[widest];
  }
  return widths;
}

/// Prints rows with their cells wrapped in columns.
std::string laid_out(const Rows& rows, const std::vector<size_t>& widths) {
  std::string text;
  for (const auto& row : rows) {
    std::vector<std::istringstream> cells;
    for (size_t i = 0; i < std::min(row.size(), widths.size()); ++i) cells.emplace_back(wrapped(row[i], widths[i], 0));
    for (bool more = true; more;) {
      more = false;
      std::string line = " ";
      for (size_t i = 0; i < cells.size(); ++i) {
        std::string part;
        more = static_cast<bool>(std::getline(cells[i], part)) || more;
        line += " " + part + std::string(widths[i] - std::min(widths[i], part.size()) + 1, ' ');
      }
      line.resize(line.find_last_not_of(' ') + 1);
      if (more) text += line + "\n";
    }
  }
  return text;
}

/// Prints the table that begins at a block, and moves to its last row; "" where it is none, or too wide.
std::string table_text(const std::vector<ManualBlock>& blocks, size_t& at, size_t width) {
  if (blocks[at].headings.empty()) return {};
  size_t end = at;
  Rows rows{blocks[at].headings};
  for (; end < blocks.size() && !blocks[end].cells.empty() && (end == at || blocks[end].headings.empty()); ++end)
    rows.push_back(blocks[end].cells);
  for (auto& row : rows)
    for (std::string& cell : row) std::erase(cell, '`');
  const std::vector<size_t> widths = column_widths(rows, width);
  if (widths.empty()) return {};
  at = end - 1;
  return laid_out(rows, widths);
}

/// Prints lines of code, commands wider than `width` on several lines that end in "\".
std::string code_text(const std::string& code, size_t width) {
  std::string text, command;
  std::istringstream lines{code};
  for (std::string line; std::getline(lines, line);) {
    command += line;
    if (line.ends_with("\\")) {
      command.back() = ' ';
      continue;
    }
    const bool wraps = command.starts_with("detent ") && command.size() + 4 > width;
    text += wraps ? wrapped_command(command, width, 4) : "    " + command + "\n";
    command.clear();
  }
  return text;
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
  const std::vector<ManualBlock> blocks = manual_of(command);
  for (size_t at = 0; at < blocks.size(); ++at) {
    const ManualBlock& block = blocks[at];
    const bool list = block.kind == Kind::Item || block.kind == Kind::Row;
    if (before != Kind::Heading && !(list && block.kind == before)) text += "\n";
    before = block.kind;
    if (const std::string table = table_text(blocks, at, width); !table.empty()) {
      text += table;
      continue;
    }
    std::string words = block.term +
                        (block.kind == Kind::Row    ? ": "
                         : block.kind == Kind::Item ? " "
                                                    : "") +
                        block.text;
    if (block.kind != Kind::Code) std::erase(words, '`');
    if (block.kind == Kind::Heading) text += words + "\n";
    if (block.kind == Kind::Code) text += code_text(words, width);
    if (block.kind == Kind::Text) text += wrapped("  " + words, width, 0);
    if (block.kind == Kind::Row) text += wrapped("  " + words, width, 2);
    if (block.kind == Kind::Item) text += wrapped("  " + words, width, block.term.size() + 1);
  }
  return text;
}

}  // namespace detent::cli
