#include "report/html/document.h"

#include <fmt/core.h>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/html/words.h"
#include "report/lists.h"

namespace detent::html {

namespace {

using document::Bars;
using document::Cell;
using document::Figures;
using document::Findings;
using document::Grid;
using document::Line;
using document::Number;
using document::Part;
using document::Properties;
using document::Section;
using document::TopicTitle;
using document::Unit;
using document::Where;
using document::Words;
using Role = Line::Role;

const char* colour_of(document::Tone tone) {
  constexpr const char* kColours[] = {"", "int8", "", "usual", "doubtful", "broken"};
  return kColours[static_cast<size_t>(tone)];
}

Table::Cell page_cell(const Cell& cell) {
  std::string text = markup(cell.words);
  if (!cell.link.empty()) text = "<a href=\"#" + escape(cell.link) + "\">" + text + "</a>";
  if (!cell.op.empty()) text += " <small>" + escape(cell.op) + "</small>";
  if (cell.tone != document::Tone::None) text = tag(text, colour_of(cell.tone));
  if (!cell.reason.empty()) text += "<p class=\"reason\">" + markup(cell.reason) + "</p>";
  if (cell.meaning.empty()) return {text, cell.key};
  return {"<td data-key=\"" + key_text(cell.key) + "\" title=\"" + escape(cell.meaning) + "\">" + text + "</td>"};
}

Table::Row page_row(const Grid& table, const Grid::Row& row, const std::optional<ScaleDrawing>& drawing) {
  Table::Row printed{.badge = row.marked ? table.mark : "", .attributes = row.quiet ? "" : " class=\"float\""};
  if (table.filter.empty()) printed.attributes.clear();
  for (size_t i = 0; i < row.cells.size(); ++i)
    printed.cells.push_back(drawing && table.columns[i].kind == Kind::Chart
                                ? Table::Cell{drawing->chart(row.cells[i].marks)}
                                : page_cell(row.cells[i]));
  return printed;
}

Table page_table(const Grid& table) {
  Table printed{.columns = table.columns};
  std::optional<ScaleDrawing> drawing;
  if (table.scale) drawing.emplace(table);
  for (Table::Column& column : printed.columns)
    column.head = drawing && column.kind == Kind::Chart ? drawing->head() : escape(column.head);
  for (const auto& row : table.rows) (row.apart ? printed.foot : printed.rows).push_back(page_row(table, row, drawing));
  return printed;
}

/// Prints one row for each reason: its first row, and the number of rows.
std::string reasons_markup(const Grid& table) {
  Table printed = page_table(table);
  printed.rows.clear();
  printed.columns.push_back({"Rows", Kind::Number, "Number of rows with this reason"});
  const auto key = [](const Grid::Row& row) { return document::plain_text(row.cells.front().reason); };
  for (const auto& group : grouped(table.rows, key)) {
    Grid::Row first = *group.front();
    Words& words = first.cells.front().words;
    if (group.size() > 1) words += {" and ", document::count(group.size() - 1, "other " + table.noun)};
    first.cells.emplace_back(document::count(group.size()));
    printed.rows.push_back(page_row(table, first, std::nullopt));
  }
  return searchable(printed, table.id + "-reasons", "Search reasons");
}

std::string whole_markup(const Grid& table) {
  const Table printed = page_table(table);
  if (table.scale && table.scale->form == document::Scale::Form::Dots)
    return ScaleDrawing(table).key() + table_markup(printed, "id=\"" + table.id + "\" class=\"wide dumbbells\"" +
                                                                 (table.capped ? std::string(kShownFirst) : "") +
                                                                 " data-rows=\"" + table.noun + "s\"");
  if (!table.search) return (table.scale ? ScaleDrawing(table).key() : "") + scrolling(printed, table.id, table.label);
  const std::string filters = table.filter.empty() ? "" : " data-float-only=\"" + escape(table.filter) + "\"";
  return searchable(printed, table.id, table.label, table.capped ? kShownFirst : "", filters);
}

std::string bar_markup(const Bars::Bar& bar, const std::string& what) {
  const auto number = [&](int64_t value) {
    if (bar.unit == Unit::Bytes) return bytes_text(value);
    constexpr int64_t kLarge = 10'000;
    return value < kLarge ? std::to_string(value) : count_text(static_cast<double>(value));
  };
  const double fraction = static_cast<double>(bar.part) / static_cast<double>(bar.whole);
  const std::string percent = percent_text(fraction), parts = number(bar.part) + " of " + number(bar.whole);
  return "<span class=\"what\">" + escape(bar.label) +
         "</span><svg class=\"share\" height=\"14\" role=\"img\" aria-label=\"" + percent + " of " + escape(bar.label) +
         " " + escape(what) + "\"><title>" + parts +
         "</title><rect class=\"whole\" width=\"100%\" height=\"14\" rx=\"3\"/><rect class=\"part\" width=\"" +
         percentage(fraction) + "\" height=\"14\" rx=\"3\"/></svg><span class=\"percent\">" + percent +
         "</span><span class=\"of\">" + parts + "</span>";
}

/// Returns a clause as a sentence, with a capital and a full stop.
std::string sentence_markup(const Words& words) {
  std::string html = markup(words);
  if (!html.empty() && html[0] >= 'a' && html[0] <= 'z') html[0] = static_cast<char>(html[0] - 'a' + 'A');
  return html.ends_with(".") || html.ends_with(":") ? html : html + ".";
}

/// Prints the parts of one section. Neighbouring notes, and neighbouring details, become lists.
class PagePrinter {
 public:
  std::string operator()(const Section& section) {
    const TopicTitle& title = document::title_of(section.topic);
    std::vector<std::string> notes, details;
    for (const Part& part : section.parts) {
      const auto* line = std::get_if<Line>(&part);
      if (line && !line->stands_in(Where::Page)) continue;
      const bool note = line && line->role == Role::Note, detail = line && line->role == Role::Detail;
      if (!note) flush_notes(notes, title.id);
      if (!detail) flush(details);
      if (note)
        notes.push_back(document::plain_text(line->words));
      else if (detail)
        details.push_back(sentence_markup(line->words));
      else
        std::visit(*this, part);
    }
    flush_notes(notes, title.id);
    flush(details);
    return lead_.empty() && body_.empty() ? std::string() : html::section(title.id, title.title, lead_, body_);
  }

  void operator()(const Line& line) {
    if (line.role == Role::Heading) return;
    if (line.role == Role::Lead)
      lead_ += (lead_.empty() ? "" : " ") + markup(line.words);
    else
      body_ += "<p>" + sentence_markup(line.words) + "</p>";
  }
  void operator()(const Grid& table) {
    if (table.id.empty() || table.rows.empty()) return;
    if (table.by_reason) body_ += reasons_markup(table);
    const std::string whole = whole_markup(table);
    body_ += table.folded.empty() ? whole : folded(table.id, markup(table.folded), whole);
  }
  void operator()(const Findings& found) { body_ += findings_markup(found.findings); }
  void operator()(const Bars& bars) {
    if (bars.where == Where::Text) return;
    std::vector<std::string> items;
    for (const Bars::Bar& bar : bars.bars) items.push_back(bar_markup(bar, bars.what));
    body_ += list_markup("shares", items);
  }
  void operator()(const Figures& figures) { body_ += html::figure_list(figures_markup(figures)); }
  void operator()(const Properties& properties) {
    if (properties.where == Where::Text) return;
    std::vector<std::pair<const char*, std::string>> rows;
    for (const auto& [label, words] : properties.rows) rows.emplace_back(label.c_str(), markup(words));
    body_ += html::properties(properties.id, rows);
  }
  void operator()(const document::Drawing& drawing) {
    body_ += std::visit([](const auto& drawn) { return drawing_markup(drawn); }, drawing);
  }

  static std::string figures_markup(const Figures& figures) {
    std::string list;
    for (const auto& one : figures.figures) list += figure(markup(one.number), markup(one.label), markup(one.detail));
    return list;
  }

 private:
  void flush_notes(std::vector<std::string>& notes, const std::string& id) {
    if (notes.empty()) return;
    body_ += notes_list(notes, id + "-notes" + (lists_ > 0 ? "-" + std::to_string(lists_ + 1) : ""));
    notes.clear(), ++lists_;
  }
  void flush(std::vector<std::string>& details) {
    body_ += list_markup("notes", details);
    details.clear();
  }

  std::string lead_, body_;
  size_t lists_ = 0;  ///< of notes
};

}  // namespace

std::string section_markup(const document::Section& section) { return PagePrinter()(section); }

std::string header_markup(const document::Document& document) {
  Header header{markup(document.subject), document.file, {}, {}};
  if (!document.warning.empty()) header.warning = sentence_markup(document.warning);
  if (!document.aside.empty()) header.facts.push_back(markup(document.aside));
  for (const Words& fact : document.facts) header.facts.push_back(markup(fact));
  for (const Section& section : document.sections)
    if (section.topic == document::Topic::Model)
      for (const Part& part : section.parts)
        if (const auto* line = std::get_if<Line>(&part); line && line->stands_in(Where::Page))
          header.facts.push_back(markup(line->words));
  for (const Line& line : document.verdict) {
    if (!line.stands_in(Where::Page)) continue;
    if (line.role == Role::Statement)
      header.verdict += (header.verdict.empty() ? "" : " ") + markup(line.words);
    else
      header.advice.push_back(sentence_markup(line.words));
  }
  header.figures = PagePrinter::figures_markup(document.figures);
  return header_markup(header);
}

}  // namespace detent::html
