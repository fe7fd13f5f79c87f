#include <cmath>

#include "core/text.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/lists.h"

namespace detent::html {
namespace {

using Exception = FloatReport::Exception;

/// Returns an empty table of nodes, or of the first node of each reason.
Table exceptions_table(const char* first) {
  return {{{first, Kind::Name},
           {"Rule", Kind::MinorWords},
           {"Value", Kind::MinorWords},
           {"Measured", Kind::Number, "Of the value in the samples, in the unit that the reason names"}}};
}

/// Returns a row; without a measured value it sorts last.
Table::Row exception_row(const Exception& exception, const std::string& after_name) {
  const bool measured = !exception.value.empty();
  return {{{node_name(exception.node, exception.op_type) + after_name + why("", exception.reason)},
           {escape(exception.rule)},
           {measured ? name_markup(exception.value) : "\u2013"},
           {measured ? number_text(exception.measured) : "\u2013", measured ? exception.measured : NAN}}};
}

/// Prints one row per reason: its first node, and the number of nodes.
std::string reasons_table(const FloatReport& report) {
  Table table = exceptions_table("Why in FP32");
  table.columns.push_back({"Nodes", Kind::Number, "Number of nodes that stay in FP32 for it"});
  for (const auto& group : grouped(report.exceptions, group_key)) {
    const size_t others = group.size() - 1;
    table.rows.push_back(
        exception_row(*group.front(), others ? " and " + plural(others, "other node") : std::string()));
    table.rows.back().cells.push_back(count_cell(group.size()));
  }
  return searchable(table, "float-reasons", "Search reasons");
}

std::string nodes_table(const FloatReport& report) {
  Table table = exceptions_table("Node");
  for (const Exception& exception : report.exceptions) table.rows.push_back(exception_row(exception, {}));
  return folded("float-nodes", "Every node in FP32: " + std::to_string(report.exceptions.size()),
                searchable(table, "float-nodes", "Search nodes"));
}

}  // namespace

std::string floats_section(const std::optional<FloatReport>& report) {
  if (!report) return {};
  const std::string type = escape(report->type);
  std::string body = figure_list(figure(std::to_string(report->half_nodes), "nodes in " + type) +
                                 figure(std::to_string(report->float32_nodes), "nodes in FP32") +
                                 figure(std::to_string(report->casts), "casts added"));
  if (!report->cut_masks.empty())
    body += "<p>Masks cut to the range of the type: " + join(report->cut_masks, ", ", name_markup) +
            ". Softmax still turns them into 0.</p>";
  if (!report->exceptions.empty()) body += reasons_table(*report) + nodes_table(*report);
  return section("floats", "16-bit floats",
                 "Nodes that are not INT8 compute in " + type +
                     " unless their operator, constants or values forbid it. A layer between pairs is counted by the "
                     "float type around it." +
                     (report->values_measured ? "" : " Here " + std::string(without_samples_text(*report)) + "."),
                 body);
}

}  // namespace detent::html
