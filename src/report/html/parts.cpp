#include "report/html/parts.h"

#include <fmt/core.h>

#include "report/lists.h"

namespace detent::html {

std::string section(std::string_view id, std::string_view title, const std::string& lead, const std::string& body) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>{}{}</section>\n", id, title,
                     lead.empty() ? lead : "<p class=\"lead\">" + lead + "</p>", body);
}

std::string folded(const std::string& id, const std::string& summary, const std::string& body) {
  return "<details id=\"" + id + "-details\"><summary>" + summary + "</summary>" + body + "</details>";
}

std::string list_markup(const char* classes, const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items)
    if (!item.empty()) list += "<li>" + item + "</li>";
  return list.empty() ? list : "<ul class=\"" + std::string(classes) + "\">" + list + "</ul>";
}

std::string notes_list(const std::vector<std::string>& notes, const std::string& id) {
  const auto items_of = [](std::vector<std::string> sentences) {
    for (std::string& sentence : sentences) sentence = escape(sentence);
    return list_markup("notes", sentences);
  };
  const std::vector<std::string> kinds = Listing(Lists::Capped).sentences(notes);
  const std::string html = items_of(kinds);
  if (kinds.size() == notes.size()) return html;
  return html + "<details id=\"" + id + "\" class=\"close\"><summary>Every note: " + std::to_string(notes.size()) +
         "</summary><div>" + items_of(notes) + "</div></details>";
}

std::string header_markup(const Header& header) {
  const std::string warning =
      header.warning.empty() ? std::string() : "<p class=\"warning\">" + header.warning + "</p>";
  return "<header id=\"summary\">" + warning + "<p class=\"eyebrow\">" + header.subject + "</p><h1>" +
         escaped_file_name(header.model) + "</h1>" + list_markup("facts", header.facts) + "<p class=\"verdict\">" +
         header.verdict + "</p>" + list_markup("notes advice", header.advice) + figure_list(header.figures) +
         "</header>\n";
}

std::string figure(const std::string& number, const std::string& label, const std::string& detail) {
  return "<div><dt>" + label + "</dt><dd class=\"number\">" + number + "</dd>" +
         (detail.empty() ? "" : "<dd class=\"detail\">" + detail + "</dd>") + "</div>";
}

std::string figure_list(const std::string& figures) {
  return figures.empty() ? figures : "<dl class=\"figures\">" + figures + "</dl>";
}

std::string tag(std::string_view word, std::string_view colour) {
  return fmt::format("<span class=\"tag{}{}\">{}</span>", colour.empty() ? "" : " ", colour, word);
}

const char* level_colour(std::string_view level) {
  return level == "error" ? "broken" : level == "warning" ? "doubtful" : "usual";
}

std::string node_name(std::string_view name, std::string_view op) {
  return name_markup(name) + " <small>" + escape(op) + "</small>";
}

std::string why(std::string_view rule, std::string_view reason) {
  return "<p class=\"reason\">" + (rule.empty() || rule == "-" ? "" : escape(rule) + ": ") + escape(reason) + "</p>";
}

Table::Cell count_cell(size_t count) { return {std::to_string(count), static_cast<double>(count)}; }
Table::Cell fixed_cell(double value, int decimals) { return {fixed_text(value, decimals), value}; }

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
    case Kind::Number: return "<td class=\"number\" data-key=\"" + key_text(cell.key) + "\">" + cell.text + "</td>";
    case Kind::Minor:
      return "<td class=\"number minor\" data-key=\"" + key_text(cell.key) + "\">" + cell.text + "</td>";
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

std::string scrolling(const Table& table, std::string_view id, std::string_view label) {
  return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + escape(label) + "\">" +
         table_markup(table, fmt::format("id=\"{}\"", id)) + "</div>";
}

std::string searchable(const Table& table, const std::string& id, std::string_view label, std::string_view attributes,
                       std::string_view filters) {
  return fmt::format("<div data-search=\"{}\" data-label=\"{}\"{}>", id, label, filters) +
         table_markup(table, fmt::format("id=\"{}\" class=\"wide\"{}", id, attributes)) + "</div>";
}

std::string properties(std::string_view id, const std::vector<std::pair<const char*, std::string>>& rows) {
  std::string html;
  for (const auto& [label, value] : rows)
    if (!value.empty()) html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", label, value);
  return html.empty() ? html : fmt::format("<table id=\"{}\"><tbody>{}</tbody></table>", id, html);
}

}  // namespace detent::html
