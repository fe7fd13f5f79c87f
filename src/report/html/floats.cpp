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

std::string value_cell(const Exception& exception) {
  return "<td class=\"minor\">" + (exception.value.empty() ? std::string("\u2013") : name_markup(exception.value)) +
         "</td>";
}

/// What nothing was measured of sorts last.
std::string measured_cell(const Exception& exception) {
  if (exception.value.empty()) return "<td class=\"number\" data-key=\"\">\u2013</td>";
  return number_cell(exception.measured, number_text(exception.measured));
}

std::string columns(const char* first) {
  return "<thead><tr>" + text_head(first) + text_head("Rule", "minor") + text_head("Value", "minor") +
         number_head("Measured", "What the value reaches in the samples, in the unit that the reason names");
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
  std::string html =
      "<div data-search=\"float-reasons\" data-label=\"Search reasons\"><table id=\"float-reasons\" "
      "class=\"wide\">" +
      columns("Why in FP32") + number_head("Nodes", "How many stay in FP32 for it") + "</tr></thead><tbody>";
  for (const auto& [first, count] : groups)
    html += "<tr><th scope=\"row\">" + node_markup(*first) +
            (count > 1 ? " and " + plural(count - 1, "other node") : std::string()) + "<p class=\"reason\">" +
            escape(first->reason) + "</p></th><td class=\"minor\">" + escape(first->rule) + "</td>" +
            value_cell(*first) + measured_cell(*first) +
            number_cell(static_cast<double>(count), std::to_string(count)) + "</tr>\n";
  return html + "</tbody></table></div>";
}

std::string nodes_table(const FloatReport& report) {
  std::string html =
      "<details id=\"float-nodes-details\"><summary>Every node in FP32: " + std::to_string(report.exceptions.size()) +
      "</summary><div data-search=\"float-nodes\" data-label=\"Search nodes\"><table "
      "id=\"float-nodes\" class=\"wide\">" +
      columns("Node") + "</tr></thead><tbody>";
  for (const Exception& exception : report.exceptions)
    html += "<tr><th scope=\"row\">" + node_markup(exception) + "<p class=\"reason\">" + escape(exception.reason) +
            "</p></th><td class=\"minor\">" + escape(exception.rule) + "</td>" + value_cell(exception) +
            measured_cell(exception) + "</tr>\n";
  return html + "</tbody></table></div></details>";
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
