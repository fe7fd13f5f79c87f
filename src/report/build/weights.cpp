#include <algorithm>
#include <cmath>

#include "report/build/documents.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using Layer = QuantizeWeightsReport::Layer;

/// Sorts quantized layers by their loss, largest first, followed by float layers in model order.
std::vector<Layer> worst_layers(std::vector<Layer> layers) {
  std::ranges::stable_sort(
      layers, {}, [](const Layer& layer) { return std::pair(!layer.quantized, layer.quantized ? layer.sqnr_db : 0); });
  return layers;
}

document::Grid layers_table(const QuantizeWeightsReport& report) {
  document::Grid table{.id = "weights-table",
                       .label = "Search layers",
                       .columns = {{"Layer", Kind::Name},
                                   {"Weight", Kind::Tag},
                                   {"SQNR", Kind::Number, "Of the quantized weight against the float one"},
                                   {"Elements", Kind::Minor, "Of the weight"}},
                       .filter = "float only",
                       .capped = true,
                       .noun = "layer"};
  for (const Layer& layer : worst_layers(report.layers)) {
    Cell title{name(layer.name), layer.quantized ? Words() : Words(layer.reason)};
    title.op = layer.op;
    Cell type{layer.quantized ? Words(title_of(report.format.codes)) : Words("float")};
    type.key = layer.quantized ? 1 : 0, type.tone = layer.quantized ? Tone::Codes : Tone::Float;
    table.rows.push_back(
        {.cells = {title, type, layer.quantized ? decibels(layer.sqnr_db, 2) : Words(), large_count(layer.elements)},
         .item = {{.lead = layer.quantized ? "  " : "kept float: ",
                   .name = name(layer.name),
                   .after = " (" + layer.op + ")",
                   .reason = layer.quantized ? std::string() : layer.reason,
                   .detail = layer.quantized}},
         .quiet = layer.quantized});
  }
  return table;
}

/// Says how many weights get codes, and which loses most.
void add_weights(std::vector<Part>& parts, const QuantizeWeightsReport& report) {
  std::vector<Layer> quantized = worst_layers(report.layers);
  std::erase_if(quantized, [](const Layer& layer) { return !layer.quantized; });
  Words words{"weights of ", count(quantized.size()),    " of ", count(report.layers.size(), "weighted layer"),
              " as ",        format_words(report.format)};
  if (!quantized.empty()) words += {": ", bytes(report.float_weight_bytes), arrow(), bytes(report.weight_bytes)};
  parts.push_back(Line{words});
  if (!quantized.empty())
    parts.push_back(Line{{"largest loss: weight ", document::quoted(quantized.front().name), ", SQNR ",
                          decibels(quantized.front().sqnr_db, 2)}});
}

/// Says how many of the large constants that no layer multiplies by get codes.
void add_tables(std::vector<Part>& parts, const QuantizeWeightsReport& report) {
  if (report.tables.empty()) return;
  size_t quantized = 0, exact = 0;
  uint64_t float_bytes = 0, code_bytes = 0;
  document::Grid table{.id = "tables-table",
                       .label = "Embeddings, positions and masks",
                       .columns = {{"Constant", Kind::Name},
                                   {"SQNR", Kind::Number, "Of the quantized constant against the float one"},
                                   {"Elements", Kind::Minor},
                                   {"Bytes"},
                                   {"In the float model", Kind::Minor}},
                       .search = false,
                       .noun = "constant"};
  for (const auto& one : report.tables) {
    if (one.quantized)
      ++quantized, exact += std::isinf(one.sqnr_db), float_bytes += one.float_bytes, code_bytes += one.bytes;
    Cell title{name(one.name), one.quantized ? Words() : Words("kept float: " + one.reason)};
    title.op = one.op;
    table.rows.push_back({{title, one.quantized ? decibels(one.sqnr_db, 2) : Words(), large_count(one.elements),
                           one.quantized ? bytes(one.bytes) : Words(), bytes(one.float_bytes)}});
  }
  Words words{"embeddings, positions and masks: ", count(quantized), " of ",
              count(report.tables.size(), "large constant"), " as INT8"};
  if (exact > 0) words += {", ", count(exact), " exactly"};
  if (quantized > 0) words += {": ", bytes(float_bytes), arrow(), bytes(code_bytes)};
  parts.push_back(Line{words});
  parts.emplace_back(std::move(table));
}

Words rounding_words(const std::optional<QuantizeWeightsReport::Rounding>& rounding) {
  if (!rounding) return "codes are the nearest ones: there was no data";
  if (rounding->layers == 0) return "rounding by GPTQ: not done: " + rounding->reason;
  Words words{"rounding by GPTQ: ", count(rounding->layers, "layer")};
  if (rounding->before_db && rounding->after_db) words += {", ", change(*rounding->before_db, *rounding->after_db)};
  words += rounding->kept ? ", kept" : ", dropped";
  if (!rounding->reason.empty()) words += ": " + rounding->reason;
  return {words, " (", count(rounding->samples, "sample"), ", ", seconds(rounding->seconds), ")"};
}

Section weights(const QuantizeWeightsReport& report) {
  Section section{Topic::Weights, {}};
  if (report.written_opset != report.opset)
    section.parts.push_back(Line{{"raised opset from ", count(report.opset), " to ", count(report.written_opset)}});
  if (report.rearranged > 0)
    section.parts.push_back(Line{{"transposed the weights of ", count(report.rearranged, "product")}});
  add_weights(section.parts, report);
  add_tables(section.parts, report);
  section.parts.push_back(Line{rounding_words(report.rounding)});
  section.parts.emplace_back(layers_table(report));
  for (const std::string& note : report.notes) section.parts.push_back(Line{note, Role::Note});
  return section;
}

}  // namespace

Words format_words(const WeightFormat& format) {
  return {title_of(format.codes),
          format.block == 0 ? Words(" with one scale a channel") : Words{" in blocks of ", count(format.block)}};
}

Document document_of(const QuantizeWeightsReport& report) {
  Document document{.subject = "Weights alone",
                    .title = "weights alone",
                    .file = report.model,
                    .facts = {opset_words(report.opset), bytes(report.model_bytes)},
                    .aside = {"target ", report.target}};
  add_verdict(document, report.verdict, report.error);
  if (report.bound) add_bound(document, *report.bound);
  if (report.score && !report.bound) add_score(document, *report.score);
  const double ratio =
      static_cast<double>(report.output_bytes) / static_cast<double>(std::max<uint64_t>(report.model_bytes, 1));
  document.verdict.push_back(
      Line{{"wrote ", name(report.output), " (", bytes(report.output_bytes), ", ", fixed(ratio, 3),
            " of the float model) in ", seconds(report.seconds), ", peak ", megabytes(report.peak_mb)},
           Role::Beside});
  auto& figures = document.figures.figures;
  figures = error_figures(report.error);
  if (report.weight_bytes > 0)
    figures.push_back({bytes(report.weight_bytes), "quantized weights", {"float ", bytes(report.float_weight_bytes)}});
  figures.push_back({bytes(report.output_bytes), "file size", {"FP32 ", bytes(report.model_bytes)}});
  document.sections = {weights(report), error(report.error, "error against FP32", report.error_source),
                       blame(report.verdict), provenance(report.provenance, std::nullopt)};
  return document;
}

}  // namespace detent::build
