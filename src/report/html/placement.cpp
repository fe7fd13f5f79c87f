#include "report/html/cells.h"
#include "report/html/markup.h"
#include "report/html/notes.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

/// "R3 rule: reason"; without the dash that stands for "no rule".
std::string why_text(const std::string& rule, const std::string& reason) {
  return (rule.empty() || rule == "-" ? "" : escape(rule) + ": ") + escape(reason);
}

std::string why(const std::string& rule, const std::string& reason) {
  return "<p class=\"reason\">" + why_text(rule, reason) + "</p>";
}

Table::Cell decision_cell(bool int8, const std::string& rule, const std::string& reason) {
  return {std::string("<td data-key=\"") + (int8 ? "1" : "0") + "\" title=\"" + why_text(rule, reason) +
          "\"><span class=\"tag" + (int8 ? " int8\">INT8" : "\">float") + "</span></td>"};
}

/// Float layers first: their reasons are what one looks for. The number is the layer's place in the model.
std::string layers_table(const PlanReport& plan) {
  Table table{{{"<abbr title=\"Position in the model\">#</abbr>"},
               {"Layer", Kind::Name},
               {"Runs in", Kind::Tag},
               {"MACs"},
               {"Parameters", Kind::Minor}}};
  const auto count = [](int64_t value, const char* kind) {
    return Table::Cell{"<td class=\"" + std::string(kind) + "\" data-key=\"" + std::to_string(value) + "\" title=\"" +
                       grouped_text(static_cast<uint64_t>(value)) + "\">" + count_text(static_cast<double>(value)) +
                       "</td>"};
  };
  for (const bool int8 : {false, true})
    for (size_t i = 0; i < plan.layers.size(); ++i) {
      const auto& layer = plan.layers[i];
      if (layer.int8 != int8) continue;
      Table::Row& row = table.rows.emplace_back();
      if (!int8) row.attributes = " class=\"float\"";
      row.cells = {{std::to_string(i + 1), static_cast<double>(i + 1)},
                   {name_markup(layer.name) + " <small>" + escape(layer.op) + "</small>" +
                    (int8 ? "" : why(layer.rule, layer.reason))},
                   decision_cell(int8, layer.rule, layer.reason),
                   count(layer.macs, "number"),
                   count(layer.params, "number minor")};
    }
  return "<div data-search=\"layers\" data-label=\"Search layers\" data-float-only=\"float only\">" +
         table_markup(table, "id=\"layers\" class=\"wide\" data-shown=\"15\"") + "</div>";
}

std::string edges_table(const PlanReport& plan) {
  size_t pairs = 0;
  Table table{{{"Value", Kind::Name}, {"Read by", Kind::Words}, {"Decision", Kind::Tag}}};
  for (const auto& edge : plan.edges) {
    pairs += edge.pair;
    Table::Row& row = table.rows.emplace_back();
    if (!edge.pair) row.attributes = " class=\"float\"";
    row.cells = {
        {name_markup(edge.value) + why(edge.rule, edge.reason)},
        {"<td>" + name_markup(edge.consumer) + " <small>" + escape(edge.op) + ", input " + std::to_string(edge.slot) +
         (edge.scale_group ? ", scale group " + std::to_string(*edge.scale_group) : std::string()) + "</small></td>"},
        decision_cell(edge.pair, edge.rule, edge.reason)};
  }
  return "<details id=\"edges-details\"><summary>Every edge: " + plural(plan.edges.size(), "edge") + ", " +
         std::to_string(pairs) +
         " with a pair</summary><div data-search=\"edges\" data-label=\"Search edges\" data-float-only=\"float "
         "only\">" +
         table_markup(table, "id=\"edges\" class=\"wide\"") + "</div></details>";
}

std::string placement_lead(const PlanReport& plan) {
  size_t kept_float = 0;
  for (const auto& layer : plan.layers) kept_float += !layer.int8;
  std::string text = "<p class=\"lead\">";
  if (plan.layers.empty())
    text += "The model has no weighted layers.";
  else if (kept_float == 0)
    text += "All " + plural(plan.layers.size(), "weighted layer") + " run in INT8.";
  else
    text += std::to_string(kept_float) + " of " + plural(plan.layers.size(), "weighted layer") +
            (kept_float == 1 ? " stays float, listed first with its reason."
                             : " stay float, listed first with their reasons.");
  return text + "</p>";
}

}  // namespace

std::string placement_section(const PlanReport& plan) {
  if (plan.layers.empty() && plan.edges.empty()) return {};
  std::string html = "<section id=\"placement\"><h2>Placement</h2>" + placement_lead(plan);
  html += notes_list(plan.notes, "notes-details");
  if (!plan.layers.empty()) html += layers_table(plan);
  if (!plan.edges.empty()) html += edges_table(plan);
  return html + "</section>\n";
}

}  // namespace detent::html
