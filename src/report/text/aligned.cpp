#include "report/text/aligned.h"

#include <algorithm>
#include <vector>

namespace detent {

namespace {

/// Counts characters of UTF-8.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::vector<size_t> widths_of(const Table& table) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Table::Column& column = table.columns[i];
    size_t width = column.width > 0 ? column.width : width_of(column.head);
    for (const Table::Row& row : table.rows)
      if (i < row.cells.size()) width = std::max(width, width_of(row.cells[i].text));
    widths.push_back(std::min(width, column.most));
  }
  return widths;
}

/// Pads a text with blanks to the width.
std::string padded(const std::string& text, size_t width, Table::Kind kind) {
  const std::string blanks(std::max(width, width_of(text)) - width_of(text), ' ');
  return kind == Kind::Number || kind == Kind::Minor ? blanks + text : text + blanks;
}

}  // namespace

std::string to_text(const Table& table) {
  const std::vector<size_t> widths = widths_of(table);
  const auto line = [&](std::string text, const std::vector<Table::Cell>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const Table::Kind kind = table.columns[i].kind;
      text += (i ? "  " : "") + padded(cells[i].text, widths[i], kind);
    }
    text.resize(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::vector<Table::Cell> head;
  for (const Table::Column& column : table.columns) head.push_back({column.head});
  std::string text = std::ranges::all_of(head, &std::string::empty, &Table::Cell::text) ? "" : line("  ", head);
  for (const Table::Row& row : table.rows) text += line(row.badge.empty() ? "  " : "* ", row.cells);
  return text;
}

}  // namespace detent
