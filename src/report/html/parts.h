#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detent/reports/plan_report.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/quantities.h"
#include "report/table.h"

namespace detent::html {

/// Parts that several sections are made of. Arguments are markup unless a comment says that they are text.

/// Returns a <section> with its heading; a `lead` that is not empty becomes its first paragraph.
[[nodiscard]] std::string section(std::string_view id, std::string_view title, const std::string& lead,
                                  const std::string& body);
/// Returns a folded part with the id "ID-details".
[[nodiscard]] std::string folded(const std::string& id, const std::string& summary, const std::string& body);

/// Returns a <ul> of the items that are not empty; "" without items.
[[nodiscard]] std::string list_markup(const char* classes, const std::vector<std::string>& items);
/// Returns notes as a list that shows similar ones once, and all of them in a folded list with this id. Notes are text.
[[nodiscard]] std::string notes_list(const std::vector<std::string>& notes, const std::string& id);

/// The summary at the top of a page.
struct Header {
  std::string subject;
  std::string model;  ///< path, as text
  std::vector<std::string> facts;
  std::string verdict;
  std::string warning = {};  ///< in front of everything else
  std::vector<std::string> advice = {};
  std::string figures = {};  ///< made by figure()
};
[[nodiscard]] std::string header_markup(const Header& header);

/// Returns a large number with its label and an optional detail below it.
[[nodiscard]] std::string figure(const std::string& number, const std::string& label, const std::string& detail = {});
/// Returns the figures as a list; "" without figures.
[[nodiscard]] std::string figure_list(const std::string& figures);

/// Returns a word in a coloured box.
[[nodiscard]] std::string tag(std::string_view word, std::string_view colour = {});
/// Returns the class that colours a finding's level: "broken" for an error, "doubtful" for a warning, else "usual".
[[nodiscard]] const char* level_colour(std::string_view level);
/// Returns the name of a node or value and its operator. Both are text.
[[nodiscard]] std::string node_name(std::string_view name, std::string_view op);
/// Returns "R3: reason" as a paragraph below a name; without a rule where it is "" or "-". Both are text.
[[nodiscard]] std::string why(std::string_view rule, std::string_view reason);

/// Cells with a number, by which scripts sort.
[[nodiscard]] Table::Cell count_cell(size_t count);
[[nodiscard]] Table::Cell fixed_cell(double value, int decimals);

/// Prints a table that is sorted by a click on a head. `attributes` are those of its tag.
[[nodiscard]] std::string table_markup(const Table& table, std::string_view attributes);
/// Prints a table that may be wider than the page, in a box that scrolls. `label` is text.
[[nodiscard]] std::string scrolling(const Table& table, std::string_view id, std::string_view label);
/// Prints a table as wide as the page, with a search box. `attributes` are those of the table, `filters` of the box.
[[nodiscard]] std::string searchable(const Table& table, const std::string& id, std::string_view label,
                                     std::string_view attributes = {}, std::string_view filters = {});
inline constexpr std::string_view kShownFirst = " data-shown=\"15\"";  ///< rows before "show all"

/// Prints a table of labels and values. Rows with an empty value are left out; "" when all are.
[[nodiscard]] std::string properties(std::string_view id, const std::vector<std::pair<const char*, std::string>>& rows);

}  // namespace detent::html
