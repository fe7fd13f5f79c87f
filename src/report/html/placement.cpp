#include <algorithm>
#include <set>

#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

Table::Cell decision_cell(bool int8, const std::string& rule, const std::string& reason, const char* codes = "INT8") {
  return {std::string("<td data-key=\"") + (int8 ? "1" : "0") + "\" title=\"" + why_text(rule, reason) + "\">" +
          (int8 ? tag(codes, "int8") : tag("float")) + "</td>"};
}

std::set<std::string> names_of(const std::vector<PlanReport::WideNode>& nodes) {
  std::set<std::string> names;
  for (const auto& node : nodes) names.insert(node.name);
  return names;
}

/// Prints the nodes with 16-bit activations beside nodes of 8 bits, with their reasons.
std::string wide_nodes_table(const PlanReport& plan) {
  if (plan.wide_nodes.empty()) return {};
  Table table{{{"Node", Kind::Name}}};
  for (const auto& node : plan.wide_nodes)
    table.rows.push_back({{{node_name(node.name, node.op) + why(node.rule, node.reason)}}});
  return folded("wide-nodes", "16-bit activations: " + plural(plan.wide_nodes.size(), "node"),
                searchable(table, "wide-nodes", "Search nodes", kShownFirst));
}

/// Prints the blocks of attention with what they become, the reason, and what the other choice of --policy attention
/// gives.
std::string attention_table(const PlanReport& plan) {
  if (plan.attention.empty()) return {};
  Table table{{{"Block", Kind::Name}, {"Runs in", Kind::Tag}}};
  const std::string codes(name_of(plan.coverage.type));
  for (const auto& block : plan.attention) {
    const bool one = block.first_product == block.second_product;
    table.rows.push_back({{{node_name(block.first_product, one ? "Attention" : "to " + block.second_product) +
                            why(block.rule, block.reason + "; " + block.otherwise)},
                           decision_cell(block.quantized, block.rule, block.reason, codes.c_str())}});
  }
  return folded("attention", "Attention: " + plural(plan.attention.size(), "block"),
                searchable(table, "attention", "Search blocks", kShownFirst));
}

/// Prints the layers, float ones first, each with its position in the model.
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
  const std::set<std::string> wide = names_of(plan.wide_nodes);
  for (const bool int8 : {false, true})
    for (size_t i = 0; i < plan.layers.size(); ++i) {
      const auto& layer = plan.layers[i];
      if (layer.int8 != int8) continue;
      Table::Row& row = table.rows.emplace_back();
      if (!int8) row.attributes = " class=\"float\"";
      row.cells = {count_cell(i + 1),
                   {node_name(layer.name, layer.op) + (int8 ? "" : why(layer.rule, layer.reason))},
                   decision_cell(int8, layer.rule, layer.reason, wide.contains(layer.name) ? "INT16" : "INT8"),
                   count(layer.macs, "number"),
                   count(layer.params, "number minor")};
    }
  return searchable(table, "layers", "Search layers", kShownFirst, kFloatOnly);
}

std::string edges_table(const PlanReport& plan) {
  size_t pairs = 0;
  Table table{{{"Value", Kind::Name}, {"Read by", Kind::Words}, {"Decision", Kind::Tag}}};
  for (const auto& edge : plan.edges) {
    pairs += edge.pair;
    Table::Row& row = table.rows.emplace_back();
    if (!edge.pair) row.attributes = " class=\"float\"";
    row.cells = {
        {name_markup(edge.value) +
         why(edge.rule,
             edge.reason + (edge.overruled.empty()
                                ? ""
                                : "; " + edge.overruled + (edge.pair ? " wanted floats" : " wanted a pair")))},
        {"<td>" + name_markup(edge.consumer) + " <small>" + escape(edge.op) + ", input " + std::to_string(edge.slot) +
         (edge.scale_group ? ", scale group " + std::to_string(*edge.scale_group) : std::string()) + "</small></td>"},
        decision_cell(edge.pair, edge.rule, edge.reason, edge.wide ? "INT16" : "INT8")};
  }
  return folded("edges",
                "Every edge: " + plural(plan.edges.size(), "edge") + ", " + std::to_string(pairs) + " with a pair",
                searchable(table, "edges", "Search edges", {}, kFloatOnly));
}

std::string placement_lead(const PlanReport& plan) {
  if (plan.layers.empty()) return "The model has no weighted layers.";
  const auto kept_float = std::ranges::count(plan.layers, false, &PlanReport::Layer::int8);
  if (kept_float == 0)
    return "All " + plural(plan.layers.size(), "weighted layer") +
           (plan.wide_nodes.empty() ? " run in INT8." : " run in INT8 or INT16.");
  return std::to_string(kept_float) + " of " + plural(plan.layers.size(), "weighted layer") +
         (kept_float == 1 ? " stays float, listed first with its reason."
                          : " stay float, listed first with their reasons.");
}

std::string plan_verdict(const PlanReport& plan) {
  if (plan.coverage.pairs == 0) return "Nothing would be quantized.";
  return "<strong>" + plural(static_cast<size_t>(plan.coverage.pairs), "pair") + "</strong> on " +
         plural(plan.quantized_values, "value") + ": " + std::to_string(plan.coverage.int8_layers) + " of " +
         plural(static_cast<size_t>(plan.coverage.layers), "weighted layer") + " would run in INT8.";
}

}  // namespace

std::string placement_section(const PlanReport& plan) {
  if (plan.layers.empty() && plan.edges.empty()) return {};
  return section("placement", "Placement", placement_lead(plan),
                 notes_list(plan.notes, "notes-details") + (plan.layers.empty() ? "" : layers_table(plan)) +
                     wide_nodes_table(plan) + attention_table(plan) + (plan.edges.empty() ? "" : edges_table(plan)));
}

std::string summary_section(const PlanReport& plan) {
  std::string figures = coverage_figure(plan.coverage);
  if (plan.shared_scale_groups > 0)
    figures += figure(std::to_string(plan.shared_scale_groups), "groups of shared scales");
  return header_markup(
      {"Placement",
       plan.model,
       {"target " + escape(plan.target), "opset " + std::to_string(plan.opset) + ", " + plural(plan.nodes, "node"),
        plan.folded_batchnorms ? plural(plan.folded_batchnorms, "BatchNormalization") + " folded" : ""},
       plan_verdict(plan),
       {},
       figures});
}

std::string equalizable_section(const PlanReport& plan) {
  if (!plan.equalizable || plan.equalizable->empty()) return {};
  std::string families;
  Table table{{{"Value", Kind::Name}, {"Family", Kind::Words}}};
  for (const auto& family : *plan.equalizable) {
    families += (families.empty() ? "" : ",") + family.family;
    for (const std::string& value : family.values)
      table.rows.push_back({{{name_markup(value)}, {"<td>" + escape(family.family) + "</td>"}}});
  }
  return section("equalizable", "What could be equalized",
                 plural(table.rows.size(), "value") +
                     " whose channels could be evened out before calibration: <code>--equalize " + escape(families) +
                     "</code>.",
                 searchable(table, "equalizable-values", "Search values", " data-shown=\"15\" data-rows=\"values\""));
}

}  // namespace detent::html
