#include "report/html/cells.h"

#include "report/html/markup.h"
#include "report/html/numbers.h"

namespace detent::html {

std::string number_cell(double key, const std::string& text, std::string_view classes) {
  return "<td class=\"" + std::string(classes) + "\" data-key=\"" + key_text(key) + "\">" + text + "</td>";
}

namespace {

std::string head_markup(const Table::Column& column) {
  if (column.head.starts_with("<th")) return column.head;
  if (column.kind == Kind::Chart) return "<td class=\"chart\">" + column.head + "</td>";
  std::string attributes;
  if (column.kind == Kind::Number) attributes = " class=\"number\"";
  if (column.kind == Kind::Minor) attributes = " class=\"number minor\"";
  if (column.kind == Kind::MinorWords) attributes = " class=\"minor\"";
  if (column.kind == Kind::Name || column.kind == Kind::Words || column.kind == Kind::MinorWords)
    attributes += " data-sort=\"text\"";
  else if (column.kind != Kind::Title && column.kind != Kind::Plain)
    attributes += " data-sort=\"number\"";
  if (!column.meaning.empty()) attributes += " title=\"" + escape(column.meaning) + "\"";
  return "<th scope=\"col\"" + attributes + ">" + column.head + "</th>";
}

std::string cell_markup(const Table::Cell& cell, Kind kind, const std::string& badge) {
  if (cell.text.starts_with("<td")) return cell.text;
  switch (kind) {
    case Kind::Number: return number_cell(cell.key, cell.text);
    case Kind::Minor: return number_cell(cell.key, cell.text, "number minor");
    case Kind::Words: return "<td class=\"words\">" + cell.text + "</td>";
    case Kind::MinorWords: return "<td class=\"minor\">" + cell.text + "</td>";
    case Kind::Chart: return "<td class=\"chart\">" + cell.text + "</td>";
    case Kind::Tag: return "<td data-key=\"" + key_text(cell.key) + "\">" + cell.text + "</td>";
    case Kind::Plain: return "<td>" + cell.text + "</td>";
    case Kind::Name:
    case Kind::Title: break;
  }
  return "<th scope=\"row\">" + cell.text + (badge.empty() ? badge : " <span class=\"badge\">" + badge + "</span>") +
         "</th>";
}

std::string row_markup(const Table& table, const Table::Row& row) {
  std::string html = (row.badge.empty() ? "<tr" : "<tr class=\"best\"") + row.attributes + ">";
  for (size_t i = 0; i < row.cells.size(); ++i) html += cell_markup(row.cells[i], table.columns[i].kind, row.badge);
  return html + "</tr>";
}

}  // namespace

std::string table_markup(const Table& table, std::string_view attributes) {
  std::string html = "<table " + std::string(attributes) + "><thead><tr>";
  for (const Table::Column& column : table.columns) html += head_markup(column);
  html += "</tr></thead><tbody>";
  for (const Table::Row& row : table.rows) html += row_markup(table, row) + "\n";
  html += "</tbody>";
  if (!table.foot.empty()) html += "<tfoot>";
  for (const Table::Row& row : table.foot) html += row_markup(table, row);
  return html + (table.foot.empty() ? "</table>" : "</tfoot></table>");
}

std::string scrolling(const std::string& table, std::string_view label) {
  return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + escape(label) + "\">" + table +
         "</div>";
}

}  // namespace detent::html
