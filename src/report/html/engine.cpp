#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

using EngineRow = ExplainReport::Layer;

/// Kinds of layers in the order in which a page sorts them, and the class that colours each.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kKindColours{
    {{"quantize", "doubtful"}, {"reformat", "doubtful"}, {"copy", "usual"}, {"layer", "usual"}, {"none", "usual"}}};

Table::Cell kind_cell(const EngineRow& row) {
  const auto found = std::ranges::find(kKindColours, row.kind, [](const auto& entry) { return entry.first; });
  const auto rank = static_cast<double>(found - kKindColours.begin());
  if (row.kind == "layer") return {tag(escape(row.arithmetic), row.arithmetic == "int8" ? "int8" : "usual"), rank};
  return {tag(escape(row.kind), found == kKindColours.end() ? "usual" : found->second), rank};
}

/// Draws a bar whose length is the share over the largest one.
std::string share_bar(double share, double largest) {
  return "<svg class=\"share\" height=\"10\" aria-hidden=\"true\"><rect class=\"part\" width=\"" +
         percentage(largest > 0 ? share / largest : 0) + "\" height=\"100%\"/></svg>";
}

std::string types_markup(const EngineRow& row) {
  std::vector<std::string> inputs;
  for (const std::string& type : row.inputs)
    if (std::ranges::find(inputs, type) == inputs.end()) inputs.push_back(type);
  return escape(join(inputs, "+") + " \u2192 " + row.arithmetic + " \u2192 " + row.output);
}

std::string row_text(const EngineRow& row) {
  std::string text = name_markup(row.nodes.empty() || row.block ? row.name : join(row.nodes, " + "));
  text += why("", row.cause) + why("", row.cure.empty() ? "" : "cure: " + row.cure);
  if (!row.right)
    text += why("", "predicted " + row.predicted + " from the ONNX file, but it is " +
                        (row.kind == "layer" ? row.arithmetic : row.kind));
  return text;
}

Table rows_table(const ExplainReport& report) {
  double largest = 0;
  for (const EngineRow& row : report.layers) largest = std::max(largest, row.share);
  Table table{{{"Layer", Kind::Name},
               {"Share", Kind::Chart},
               {"%", Kind::Number, "Share of the time, or of the layers without a profile"},
               {"ms", Kind::Number, "Mean time of one run"},
               {"Kind", Kind::Tag, "Arithmetic of a layer of the network, or what else it is"},
               {"Reads \u2192 computes \u2192 writes", Kind::MinorWords}}};
  for (const EngineRow& row : report.layers) {
    table.rows.push_back({{{row_text(row)},
                           {share_bar(row.share, largest)},
                           fixed_cell(100 * row.share, 2),
                           row.ms ? fixed_cell(*row.ms, 4) : Table::Cell{"\u2013"},
                           kind_cell(row),
                           {types_markup(row)}}});
    table.rows.back().attributes = " title=\"" + escape(row.name) + "\"";
  }
  return table;
}

std::string side_markup(const std::string& layer, const std::string& computes) {
  return layer.empty() ? "no layer" : escape(computes) + " " + name_markup(layer);
}

}  // namespace

std::string summary_section(const ExplainReport& report) {
  const ExplainReport::Summary& summary = report.summary;
  const std::string of = summary.total_ms ? "of the time" : "of the layers";
  const auto share = [&](double value, const char* label) { return figure(percent_text(value), label, of); };
  std::vector<std::string> facts{plural(report.layers.size(), "layer"), escape(report.form)};
  if (report.predictions)
    facts.push_back(fmt::format("{} of {} predictions right", report.predictions->right, report.predictions->layers));
  std::vector<std::string> notes;
  for (const ExplainReport::Advice& advice : report.advice)
    notes.push_back(sentence(percent_text(advice.share) + " in " + plural(advice.layers, "layer") + ": " + advice.text +
                             (advice.cure.empty() ? "" : ". To do: " + advice.cure)));
  for (const std::string& note : report.notes) notes.push_back(sentence(note));
  return header_markup({"What the engine became", report.file, facts,
                        plural(summary.standalone_quantize, "quantizer") + " alone, " +
                            plural(summary.reformats, "reformat") + ", " + plural(summary.copies, "copy", "copies") +
                            "; unexplained " + percent_text(summary.unexplained, 0) + ".",
                        notes,
                        share(summary.int8, "INT8") + share(summary.fp16, "FP16") + share(summary.fp32, "FP32") +
                            share(summary.reformat, "reformats, quantizers, copies")});
}

std::string engine_layers_section(const ExplainReport& report) {
  return section("layers", "Layers",
                 "In the engine's order; a click on a head sorts. Below a layer stand its cause and its cure. Times of "
                 "single layers add to more than the engine needs.",
                 searchable(rows_table(report), "layer-table", "Search layers"));
}

std::string engine_differences_section(const ExplainReport& report) {
  if (!report.against) return {};
  Table table{{{"Nodes", Kind::Name}, {"Here", Kind::Words}, {"There", Kind::Words}}};
  for (const auto& difference : report.against->differences)
    table.rows.push_back({{{name_markup(join(difference.nodes, " + "))},
                           {side_markup(difference.layer, difference.computes)},
                           {side_markup(difference.other, difference.other_computes)}}});
  return section("against", "Against another engine",
                 escaped_file_name(report.against->file) + ": " + plural(report.against->same, "layer") +
                     " alike. Layers that hold other nodes, or compute in or write another type:",
                 searchable(table, "difference-table", "Search differences"));
}

}  // namespace detent::html
