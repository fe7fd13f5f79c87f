#include "report/text/document.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

#include "report/text/aligned.h"
#include "report/text/findings.h"

namespace detent {

namespace {

using document::Bars;
using document::Cell;
using document::Drawing;
using document::Figures;
using document::Findings;
using document::Grid;
using document::Item;
using document::Line;
using document::Part;
using document::Properties;
using document::Section;
using document::Unit;
using document::Where;
using document::Words;
using Role = Line::Role;

// Heads of columns that the items of their rows make needless.
constexpr std::string_view kPosition = "#", kShare = "Share";

constexpr double kLongestBar = 40;  // in characters

/// Prints the parts of one section.
class TextPrinter {
 public:
  explicit TextPrinter(Listing& listing) : listing_(listing) {}

  std::string operator()(const std::vector<Part>& parts) {
    std::vector<std::string> notes;
    for (const Part& part : parts) {
      const auto* line = std::get_if<Line>(&part);
      const bool note = line && line->role == Role::Note && line->stands_in(Where::Text);
      if (note) notes.push_back(document::plain_text(line->words));
      if (!note) flush(notes);
      if (!note) std::visit(*this, part);
    }
    flush(notes);
    return std::move(text_);
  }

  void operator()(const Line& line) {
    if (!line.stands_in(Where::Text) || line.role == Role::Lead) return;
    if (line.detail && !listing_.all()) return;
    text_ += (line.role == Role::Heading || line.role == Role::Apart ? "\n"
              : line.role == Role::Detail                            ? "  "
                                                                     : "") +
             document::plain_text(line.words) + "\n";
  }
  void operator()(const Grid& table) {
    if (table.rows.empty() || (table.detail && !listing_.all())) return;
    if (table.rows.front().item.empty())
      text_ += aligned(table, table.most == 0 ? table.rows.size() : listing_.shown(table.rows.size(), table.most));
    else
      add_items(table);
  }
  void operator()(const Findings& found) { text_ += findings_text(found.findings, listing_); }
  void operator()(const Bars& bars) {
    if (!listing_.all()) return;  // the shares stand in lines
    for (const Bars::Bar& bar : bars.bars)
      text_ += "  " + bar.label + " " + bars.what + ": " +
               document::number_text({.value = static_cast<double>(bar.part), .unit = bar.unit}) + " of " +
               document::number_text({.value = static_cast<double>(bar.whole), .unit = bar.unit}) + "\n";
  }
  void operator()(const Figures&) {}
  void operator()(const Properties& properties) {
    if (properties.where == Where::Page) return;
    size_t width = 0;
    for (const auto& row : properties.rows)
      if (!row.words.empty()) width = std::max(width, row.label.size());
    for (const auto& [label, words] : properties.rows)
      if (!words.empty())
        text_ += "  " + small(label) + std::string(width - label.size() + 2, ' ') + document::plain_text(words) + "\n";
  }
  void operator()(const Drawing&) {}

 private:
  void flush(std::vector<std::string>& notes) {
    for (const std::string& note : listing_.sentences(notes)) text_ += "note: " + note + "\n";
    notes.clear();
  }

  /// Returns a label with a small first letter, as texts have it.
  static std::string small(std::string label) {
    if (!label.empty()) label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
    return label;
  }

  /// Prints the first rows, and the number of the others.
  static std::string aligned(const Grid& table, size_t most) {
    Table printed;
    std::vector<size_t> shown;
    const bool bars = table.scale && table.scale->form == document::Scale::Form::Bar;
    for (size_t i = 0; i < table.columns.size(); ++i)
      if (bars || table.columns[i].kind != Kind::Chart) shown.push_back(i), printed.columns.push_back(table.columns[i]);
    double longest = 0;
    for (const auto& row : table.rows)
      for (const Cell& cell : row.cells)
        for (const double mark : cell.marks) longest = std::max(longest, mark);
    std::vector<Grid::Row> rows = table.rows;
    std::ranges::stable_partition(rows, &Grid::Row::apart);
    for (const auto& row : std::span(rows).first(most)) {
      auto& cells = printed.rows.emplace_back(Table::Row{.badge = row.marked ? table.mark : ""}).cells;
      for (const size_t i : shown)
        if (i < row.cells.size()) cells.push_back({cell_text(row.cells[i]) + bar_text(row.cells[i], longest)});
    }
    const size_t left = table.rows.size() - most;
    const std::string heading = table.heading.empty() ? "" : "\n" + document::plain_text(table.heading) + "\n";
    return heading + to_text(printed) + (left > 0 ? "  and " + plural(left, "more " + table.noun) + "\n" : "");
  }

  /// Returns "conv1 (Conv)", with the reason behind.
  static std::string cell_text(const Cell& cell) {
    std::string text = document::plain_text(cell.words);
    if (!cell.op.empty()) text += " (" + cell.op + ")";
    if (!cell.reason.empty()) text += (text.empty() ? "" : "  ") + document::plain_text(cell.reason);
    return text;
  }

  static std::string bar_text(const Cell& cell, double longest) {
    return cell.marks.empty() || longest <= 0
               ? std::string()
               : std::string(static_cast<size_t>(std::lround(kLongestBar * cell.marks.front() / longest)), '#');
  }

  /// Returns the numbers of the columns, which the item does not say: "; MACs 10, parameters 5".
  static std::string numbers_of(const Grid& table, const Grid::Row& row) {
    std::string text;
    for (size_t i = 0; i < std::min(row.cells.size(), table.columns.size()); ++i) {
      const auto& column = table.columns[i];
      if ((column.kind != Kind::Number && column.kind != Kind::Minor) || std::isnan(row.cells[i].key)) continue;
      if (column.head == kPosition || column.head == kShare) continue;
      text += (text.empty() ? "; " : ", ") + column.head + " " + document::plain_text(row.cells[i].words);
    }
    return text;
  }

  /// Returns the reason of the items, or its pattern where they differ; those without a reason have the same.
  static std::string reason_of(const std::vector<const Grid::Row*>& rows) {
    const std::string& first = rows.front()->item.front().reason;
    for (const auto* row : rows)
      if (const std::string& reason = row->item.front().reason; !reason.empty() && reason != first)
        return pattern_of(first);
    return first;
  }

  static std::string key_of(const Item& item, bool exact) {
    if (!item.key.empty()) return item.key;
    return document::plain_text(item.lead) + "\n" + document::plain_text(item.after) + "\n" + item.rule + "\n" +
           (exact ? item.reason : pattern_of(item.reason)) + "\n" + pattern_of(document::plain_text(item.otherwise)) +
           (item.scale_group ? "\nshared" : "");
  }

  /// Returns " scale group 3" or " scale groups 0, 1, 2 and 4 more"; "" for none.
  std::string scale_groups_of(const std::vector<const Grid::Row*>& rows) {
    std::vector<std::string> numbers;
    for (const auto* row : rows) {
      if (!row->item.front().scale_group) continue;
      std::string number = std::to_string(*row->item.front().scale_group);
      if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(std::move(number));
    }
    if (numbers.empty()) return {};
    return (numbers.size() == 1 ? " scale group " : " scale groups ") + listing_.names(numbers);
  }

  void add_items(const Grid& table) {
    std::vector<const Grid::Row*> rows;
    std::vector<std::string> keys;
    for (const auto& row : table.rows) {
      if (row.item.empty() || (row.item.front().detail && !listing_.all())) continue;
      rows.push_back(&row);
      keys.push_back(key_of(row.item.front(), table.exact));
    }
    if (rows.empty()) return;
    const Words& heading = listing_.all() && !table.heading_of_all.empty() ? table.heading_of_all : table.heading;
    if (!heading.empty()) text_ += "\n" + document::plain_text(heading) + "\n";
    const std::vector<std::vector<size_t>> groups = listing_.groups(keys);
    const size_t shown = table.most == 0 ? groups.size() : listing_.shown(groups.size(), table.most);
    for (size_t g = 0; g < shown; ++g) add_group(table, rows_of(groups[g], rows));
    if (shown == groups.size()) return;
    size_t left = 0;
    bool told = true;
    for (const auto& group : std::span(groups).subspan(shown)) {
      const Item& item = rows[group.front()]->item.front();
      left += group.size(), told = told && !(item.rule.empty() && item.reason.empty());
    }
    const std::string more = plural(left, "more " + table.noun);
    text_ += told ? document::plain_text(rows.back()->item.front().lead) + more + " for " +
                        plural(groups.size() - shown, "other reason") + "\n"
                  : "  and " + more + "\n";
  }

  static std::vector<const Grid::Row*> rows_of(const std::vector<size_t>& group,
                                               const std::vector<const Grid::Row*>& rows) {
    std::vector<const Grid::Row*> alike;
    for (const size_t i : group) alike.push_back(rows[i]);
    return alike;
  }

  void add_group(const Grid& table, const std::vector<const Grid::Row*>& rows) {
    const Item& first = rows.front()->item.front();
    double part = 0;
    for (const auto* row : rows) part += row->item.front().part;
    text_ += document::plain_text(first.lead) +
             listing_.names(
                 rows, [](const auto* row) { return document::plain_text(row->item.front().name); }, table.names) +
             document::plain_text(first.after) + scale_groups_of(rows);
    if (table.whole > 0 && part > 0)
      text_ += "  (" + document::plain_text(document::share(part / table.whole)) + " " + table.of_whole + ")";
    if (!first.reason.empty())
      text_ += "  " + document::plain_text((first.rule.empty() || first.rule == "-" ? "" : first.rule + ": ") +
                                           reason_of(rows));
    if (listing_.all())
      text_ += (first.overruled.empty() ? "" : "; " + first.overruled) + numbers_of(table, *rows.front());
    text_ += "\n";
    if (!first.otherwise.empty()) text_ += "        " + document::plain_text(first.otherwise) + "\n";
  }

  Listing& listing_;
  std::string text_;
};

std::string warning_text(const document::Document& tree) {
  return tree.warning.empty() ? std::string() : document::plain_text(tree.warning) + "\n";
}

std::string head_text(const document::Document& tree) {
  if (tree.file.empty()) return {};
  return document::plain_text(document::file_name(tree.file)) + (tree.facts.empty() ? "" : "  ") +
         document::plain_text(document::joined(tree.facts)) +
         (tree.aside.empty() ? "" : "     " + document::plain_text(tree.aside)) + "\n";
}

/// Returns the verdict, and the rest without the warning.
TerminalText parts_of(const document::Document& tree, Lists lists) {
  Listing listing(lists);
  const std::vector<Part> verdict(tree.verdict.begin(), tree.verdict.end());
  TerminalText text{TextPrinter(listing)(verdict), head_text(tree)};
  for (const Section& section : tree.sections) text.rest += to_text(section, listing);
  text.rest += listing.closing();
  return text;
}

}  // namespace

std::string to_text(const Section& section, Listing& listing) { return TextPrinter(listing)(section.parts); }

TerminalText terminal_text(const document::Document& tree, Lists lists) {
  TerminalText whole;
  for (const document::Document& member : tree.members) {
    const TerminalText text = terminal_text(member, lists);
    whole.first += text.first + "\n", whole.rest += text.rest + "\n";
  }
  const TerminalText text = parts_of(tree, lists);
  return {whole.first + warning_text(tree) + text.first, whole.rest + text.rest};
}

std::string to_text(const document::Document& tree, Lists lists) {
  std::string members;
  for (const document::Document& member : tree.members) members += to_text(member, lists) + "\n";
  const TerminalText text = parts_of(tree, lists);
  return members + warning_text(tree) + text.rest + text.first;
}

}  // namespace detent
