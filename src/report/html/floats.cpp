#include <cmath>
#include <map>
#include <vector>

#include "core/text.h"
#include "report/float_exceptions.h"
#include "report/html/cells.h"
#include "report/html/figures.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

using Exception = FloatReport::Exception;

std::string node_markup(const Exception& exception) {
  return name_markup(exception.node) + " <small>" + escape(exception.op_type) + "</small>";
}

/// A table of nodes, or of the first node of each reason: what it says behind the name, rule, value and what was
/// measured of it.
Table exceptions_table(const char* first) {
  return {{{first, Kind::Name},
           {"Rule", Kind::MinorWords},
           {"Value", Kind::MinorWords},
           {"Measured", Kind::Number, "What the value reaches in the samples, in the unit that the reason names"}}};
}

/// What nothing was measured of sorts last.
Table::Row exception_row(const Exception& exception, const std::string& behind_name) {
  const bool measured = !exception.value.empty();
  return {{{node_markup(exception) + behind_name + "<p class=\"reason\">" + escape(exception.reason) + "</p>"},
           {escape(exception.rule)},
           {measured ? name_markup(exception.value) : "\u2013"},
           {measured ? number_text(exception.measured) : "\u2013", measured ? exception.measured : NAN}}};
}

/// One row a reason: its first node, and how many there are.
std::string reasons_table(const FloatReport& report) {
  std::vector<std::pair<const Exception*, size_t>> groups;
  std::map<std::string, size_t> group_of;
  for (const Exception& exception : report.exceptions) {
    const auto [found, first] = group_of.try_emplace(group_key(exception), groups.size());
    if (first) groups.emplace_back(&exception, 0);
    ++groups[found->second].second;
  }
  Table table = exceptions_table("Why in FP32");
  table.columns.push_back({"Nodes", Kind::Number, "How many stay in FP32 for it"});
  for (const auto& [first, count] : groups) {
    table.rows.push_back(exception_row(*first, count > 1 ? " and " + plural(count - 1, "other node") : std::string()));
    table.rows.back().cells.push_back({std::to_string(count), static_cast<double>(count)});
  }
  return "<div data-search=\"float-reasons\" data-label=\"Search reasons\">" +
         table_markup(table, "id=\"float-reasons\" class=\"wide\"") + "</div>";
}

std::string nodes_table(const FloatReport& report) {
  Table table = exceptions_table("Node");
  for (const Exception& exception : report.exceptions) table.rows.push_back(exception_row(exception, {}));
  return "<details id=\"float-nodes-details\"><summary>Every node in FP32: " +
         std::to_string(report.exceptions.size()) +
         "</summary><div data-search=\"float-nodes\" data-label=\"Search nodes\">" +
         table_markup(table, "id=\"float-nodes\" class=\"wide\"") + "</div></details>";
}

std::string mask_names(const std::vector<std::string>& masks) { return join(masks, ", ", name_markup); }

}  // namespace

std::string floats_section(const std::optional<FloatReport>& report) {
  if (!report) return {};
  const std::string type = escape(report->type);
  std::string html = "<section id=\"floats\"><h2>16-bit floats</h2><p class=\"lead\">What is not INT8 computes in " +
                     type +
                     " unless its operator, its constants or its values forbid it. A layer between pairs counts by the "
                     "floats around them." +
                     (report->values_measured ? "" : " Here " + std::string(kValuesNotMeasured) + ".") +
                     "</p><dl class=\"figures\">" + figure(std::to_string(report->half_nodes), "nodes in " + type) +
                     figure(std::to_string(report->float32_nodes), "nodes in FP32") +
                     figure(std::to_string(report->casts), "casts added") + "</dl>";
  if (!report->cut_masks.empty())
    html += "<p>Masks cut to what the type holds: " + mask_names(report->cut_masks) +
            ". Softmax makes 0 of them as before.</p>";
  if (!report->exceptions.empty()) html += reasons_table(*report) + nodes_table(*report);
  return html + "</section>\n";
}

}  // namespace detent::html
