#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/build/sections.h"
#include "report/lists.h"
#include "report/quantities.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using Row = document::Grid::Row;

constexpr size_t kReasonsShown = 20;

/// Returns "R3: reason"; without a rule where it is "" or "-".
Words why(const std::string& rule, const std::string& reason) {
  return (rule.empty() || rule == "-" ? std::string() : rule + ": ") + reason;
}

Words named(const std::string& node, const std::string& op) { return {name(node), " ", minor(op)}; }

Cell number_cell(int64_t value) {
  Cell cell(large_count(value));
  cell.meaning = std::to_string(value);
  return cell;
}

Cell decision(Runs runs, Words reason) {
  Cell cell{std::string(name_of(runs))};
  cell.key = on_codes(runs) ? 1 : 0;
  cell.tone = on_codes(runs) ? Tone::Codes : Tone::Float;
  cell.meaning = plain_text(reason);
  return cell;
}

size_t dynamic_layers(const PlanReport& plan) {
  return static_cast<size_t>(std::ranges::count(plan.layers, Runs::Dynamic, &PlanReport::Layer::runs));
}

/// True for a layer with a scale in advance beside others that find theirs at run time.
bool is_fixed(const PlanReport::Layer& layer, const PlanReport& plan) {
  return layer.runs_on_codes() && layer.runs != Runs::Dynamic && dynamic_layers(plan) > 0;
}

/// True for a layer with 16-bit activations beside layers of 8 bits.
bool is_wide(const PlanReport::Layer& layer, const PlanReport& plan) {
  return layer.runs == Runs::A16W8 && plan.coverage.type != CodeType::A16W8;
}

/// Returns how the input of a layer would make it run that reads as the edge does.
Runs runs_of(const PlanReport::Edge& edge) {
  if (edge.reads == Reads::Dynamic) return Runs::Dynamic;
  return is_pair(edge.reads) ? runs_on(edge.codes) : Runs::Float;
}

Row layer_row(const PlanReport& plan, size_t index, Listed listed) {
  const PlanReport::Layer& layer = plan.layers[index];
  const Words reason = why(layer.rule, layer.reason);
  Row row;
  const bool fixed = is_fixed(layer, plan), usual = layer.runs_on_codes() && !fixed;
  row.quiet = layer.runs_on_codes();
  row.cells = {Cell(count(index + 1)), Cell(named(layer.name, layer.op), usual ? Words() : reason),
               decision(layer.runs, reason), number_cell(layer.macs), number_cell(layer.params)};
  std::string lead = fixed ? "scale in advance: " : "kept float: ";
  if (listed != Listed::FloatLayers || usual) {
    const char* gap = layer.runs_on_codes() && !is_wide(layer, plan) ? "  " : " ";
    lead = fmt::format("  {:4}{}", name_of(layer.runs), gap);
  }
  row.item = {{.lead = lead,
               .name = name(layer.name),
               .after = " (" + layer.op + ")",
               .rule = layer.rule,
               .reason = layer.reason,
               .detail = listed == Listed::Nothing || (listed == Listed::FloatLayers && usual)}};
  return row;
}

/// Lists the layers, float ones first, each with its position in the model.
document::Grid layers_table(const PlanReport& plan, Listed listed) {
  document::Grid table{.id = "layers",
                       .label = "Search layers",
                       .columns = {{"#", Kind::Number, "Position in the model"},
                                   {"Layer", Kind::Name},
                                   {"Runs in", Kind::Tag},
                                   {"MACs"},
                                   {"Parameters", Kind::Minor}},
                       .filter = "float only",
                       .capped = true,
                       .noun = "layer"};
  if (listed == Listed::FloatLayers)
    table.most = kReasonsShown;
  else
    table.heading = "layers";
  const auto rank = [&](const PlanReport::Layer& layer) {
    return !layer.runs_on_codes() ? 0 : is_wide(layer, plan) || is_fixed(layer, plan) ? 1 : 2;
  };
  for (const int wanted : {0, 1, 2})
    for (size_t i = 0; i < plan.layers.size(); ++i)
      if (rank(plan.layers[i]) == wanted) table.rows.push_back(layer_row(plan, i, listed));
  return table;
}

/// Lists the nodes with 16-bit activations beside nodes of 8 bits.
document::Grid wide_table(const PlanReport& plan) {
  document::Grid table{.id = "wide-nodes",
                       .label = "Search nodes",
                       .columns = {{"Node", Kind::Name}},
                       .folded = {"16-bit activations: ", count(plan.wide_nodes.size(), "node")},
                       .capped = true,
                       .most = kReasonsShown};
  for (const auto& node : plan.wide_nodes)
    table.rows.push_back({.cells = {Cell(named(node.name, node.op), why(node.rule, node.reason))},
                          .item = {{.lead = "16 bits: ",
                                    .name = name(node.name),
                                    .after = " (" + node.op + ")",
                                    .rule = node.rule,
                                    .reason = node.reason}}});
  return table;
}

/// Returns "8 heads of 32, 256 x 256 tokens, mask, rotary positions"; what is not known is left out.
Words size_words(const PlanReport::Attention& block) {
  const auto number = [](size_t count_of) { return count_of == 0 ? Words("?") : count(count_of); };
  std::vector<Words> parts;
  if (block.head_size > 0) parts.push_back({number(block.heads), " heads of ", count(block.head_size)});
  if (block.queries > 0 || block.keys > 0)
    parts.push_back({number(block.queries), " x ", number(block.keys), " tokens"});
  if (block.masked) parts.emplace_back("mask");
  if (block.rotary) parts.emplace_back("rotary positions");
  if (block.grouped) parts.emplace_back("grouped queries");
  return joined(parts);
}

Row attention_row(const PlanReport::Attention& block, Listed listed) {
  const bool one = block.first_product == block.second_product;
  const Words sizes = size_words(block);
  Words reason = why(block.rule, block.reason + (block.otherwise.empty() ? "" : "; " + block.otherwise));
  Row row;
  row.cells = {Cell({name(block.first_product), " ", minor(one ? "Attention" : "to " + block.second_product)}, reason),
               decision(block.runs, reason), number_cell(block.macs)};
  row.item = {
      {.lead = fmt::format("  {} ", name_of(block.runs)),
       .name = one ? name(block.first_product) : Words{name(block.first_product), " .. ", name(block.second_product)},
       .after = sizes.empty() ? Words() : Words{" (", sizes, ")"},
       .rule = block.rule,
       .reason = block.reason,
       .otherwise = block.otherwise,
       .part = static_cast<double>(block.macs),
       .detail = listed != Listed::Everything}};
  return row;
}

/// Lists the blocks of attention with what they become, the reason, and what the other choice of --policy attention
/// gives.
document::Grid attention_table(const PlanReport& plan, Listed listed) {
  document::Grid table{.id = "attention",
                       .label = "Search blocks",
                       .columns = {{"Block", Kind::Name}, {"Runs in", Kind::Tag}, {"MACs"}},
                       .heading = "attention",
                       .folded = {"Attention: ", count(plan.attention.size(), "block")},
                       .capped = true,
                       .noun = "block",
                       .whole = static_cast<double>(plan.coverage.macs)};
  for (const auto& block : plan.attention) table.rows.push_back(attention_row(block, listed));
  return table;
}

/// Says "6 blocks float, REASON; OTHER CHOICE" in a line for each reason.
void add_attention_lines(std::vector<Part>& parts, const PlanReport& plan) {
  const auto key = [](const PlanReport::Attention& block) {
    return (on_codes(block.runs) ? "1" : "0") + pattern_of(block.reason) + "\n" + pattern_of(block.otherwise);
  };
  for (const auto& group : grouped(plan.attention, key)) {
    const PlanReport::Attention& first = *group.front();
    parts.push_back(Line{{"attention: ", count(group.size(), "block"), " ", name_of(first.runs), ", ", first.reason,
                          first.otherwise.empty() ? "" : "; " + first.otherwise},
                         Role::Statement,
                         Where::Text});
  }
}

Row edge_row(const PlanReport::Edge& edge, Listed listed) {
  const Words slot = count(edge.slot);
  const bool pair = is_pair(edge.reads), codes = edge.reads != Reads::Float;
  const std::string overruled =
      edge.overruled.empty() ? "" : edge.overruled + (pair ? " wanted floats" : " wanted a pair");
  const Words reason = why(edge.rule, edge.reason);
  const Words group = edge.scale_group ? Words{", scale group ", count(*edge.scale_group)} : Words();
  Row row;
  row.quiet = pair;
  row.cells = {Cell(name(edge.value), overruled.empty() ? reason : Words{reason, "; ", overruled}),
               Cell(Words{name(edge.consumer), " ", minor(edge.op), ", input ", slot, group}),
               decision(runs_of(edge), reason)};
  row.item = {{.lead = fmt::format("  {:5} ", name_of(edge.reads)),
               .name = {name(edge.value), arrow(), name(edge.consumer)},
               .after = {" (" + edge.op + ", input ", slot, pair && edge.codes == CodeType::A16W8 ? ", 16 bits)" : ")"},
               .rule = edge.rule,
               .reason = edge.reason,
               .scale_group = edge.scale_group,
               .overruled = overruled,
               .detail = listed != Listed::Everything || !codes}};
  return row;
}

document::Grid edges_table(const PlanReport& plan, Listed listed) {
  const auto pairs = std::ranges::count_if(plan.edges, is_pair, &PlanReport::Edge::reads);
  document::Grid table{.id = "edges",
                       .label = "Search edges",
                       .columns = {{"Value", Kind::Name}, {"Read by", Kind::Words}, {"Decision", Kind::Tag}},
                       .heading = "pairs",
                       .heading_of_all = "edges",
                       .folded = {"Every edge: ", count(plan.edges.size(), "edge"), ", ", count(pairs), " with a pair"},
                       .filter = "float only",
                       .noun = "edge"};
  for (const auto& edge : plan.edges) table.rows.push_back(edge_row(edge, listed));
  return table;
}

Words placement_lead(const PlanReport& plan) {
  if (plan.layers.empty()) return "The model has no weighted layers.";
  const auto kept = static_cast<size_t>(std::ranges::count(plan.layers, false, &PlanReport::Layer::runs_on_codes));
  const Words layers = count(plan.layers.size(), "weighted layer");
  const bool wide = std::ranges::any_of(plan.layers, [&](const auto& layer) { return is_wide(layer, plan); });
  const size_t dynamic = dynamic_layers(plan);
  const size_t fixed = plan.layers.size() - kept - dynamic;
  Words scales;
  if (dynamic > 0)
    scales = {" ",
              count(dynamic, "layer"),
              dynamic == 1 ? " finds its scale" : " find their scales",
              " at run time, ",
              count(fixed),
              fixed == 1 ? " has it" : " have them",
              " in advance."};
  if (kept == 0) return {"All ", layers, " run in ", name_of(plan.coverage.type), wide ? " or A16W8" : "", ".", scales};
  return {count(kept), " of ", layers,
          kept == 1 ? " stays float, listed first with its reason." : " stay float, listed first with their reasons.",
          scales};
}

}  // namespace

document::Section placement(const PlanReport& plan, Listed listed) {
  Section section{Topic::Placement, {}};
  if (plan.layers.empty() && plan.edges.empty() && plan.notes.empty()) return section;
  std::vector<Part>& parts = section.parts;
  parts.push_back(Line{placement_lead(plan), Role::Lead});
  parts.push_back(layers_table(plan, listed));
  const bool kept = !std::ranges::all_of(plan.layers, &PlanReport::Layer::runs_on_codes);
  if (listed == Listed::FloatLayers && kept) parts.push_back(Line{rules_words(), Role::Detail, Where::Text});
  if (!plan.wide_nodes.empty())
    parts.push_back(
        Line{{"16-bit activations: ", count(plan.wide_nodes.size(), "node")}, Role::Statement, Where::Text});
  parts.push_back(wide_table(plan));
  if (listed == Listed::FloatLayers) add_attention_lines(parts, plan);
  parts.push_back(attention_table(plan, listed));
  parts.push_back(edges_table(plan, listed));
  const Where where = listed == Listed::Everything ? Where::Both : Where::Page;
  if (listed != Listed::Nothing)
    for (const std::string& note : plan.notes) parts.push_back(Line{note, Role::Note, where});
  return section;
}

document::Words rules_words() {
  return "rules (R10, O2 ...) and scale groups are explained in src/place/RULES.md and by 'detent help plan --long'";
}

}  // namespace detent::build
