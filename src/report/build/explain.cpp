#include <algorithm>
#include <array>
#include <map>

#include "core/text.h"
#include "report/build/documents.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using EngineLayer = ExplainReport::Layer;
using Predictions = ExplainReport::Predictions;

constexpr size_t kLayersShown = 12;  // with alike ones
constexpr size_t kNamed = 2;         // layers of a cause of which a text may print the name
constexpr size_t kAdviceShown = 3;

Words time_cell(const std::optional<double>& ms) { return ms ? fixed(*ms, 4) : Words(); }
Words byte_words(const std::optional<double>& bytes) {
  return bytes ? Words(Number{.value = *bytes, .unit = Unit::Bytes}) : Words();
}

Words form_words(const ExplainReport& report) {
  if (report.form == "onnxruntime") return {"ONNX Runtime's profile, ", count(report.layers.size(), "node")};
  if (report.form == "rknn") return {"Rockchip's compiler, ", count(report.layers.size(), "layer")};
  return {"TensorRT's layers (", report.form, "), ", count(report.layers.size())};
}

const char* of_whole(const ExplainReport::Summary& summary) {
  if (summary.estimated) return "of the estimated time";
  return summary.total_ms ? "of the time" : "of the layers";
}

/// "INT8 60.0 %, FP16 0.0 %, FP32 20.0 %, reformats, quantizers and copies 20.0 % of the time"
Words shares_words(const ExplainReport::Summary& summary) {
  const Words other = summary.other > 0 ? Words{"other or unknown types ", share(summary.other)} : Words();
  return {joined({{"INT8 ", share(summary.int8)},
                  {"FP16 ", share(summary.fp16)},
                  {"FP32 ", share(summary.fp32)},
                  other,
                  {"reformats, quantizers and copies ", share(summary.reformat)}}),
          " ", of_whole(summary),
          summary.total_ms ? Words{"; layers add to ", fixed(*summary.total_ms, 4), " ms"} : Words()};
}

Words mover_words(const ExplainReport::Summary& summary) {
  return {count(summary.standalone_quantize, "quantizer"),
          " by ",
          summary.standalone_quantize == 1 ? "itself, " : "themselves, ",
          count(summary.reformats, "reformat"),
          ", ",
          count(summary.copies, "copy", "copies"),
          "; unexplained ",
          share(summary.unexplained)};
}

/// ", 10.5 MB of 70.0 MB that layers read and write": what the layers of one reason move, of all, where it is known.
Words moved_words(const ExplainReport& report, const ExplainReport::Advice& advice) {
  if (!advice.bytes) return {};
  double all = 0;
  bool known = true;
  for (const EngineLayer& layer : report.layers)
    if (layer.kind != "none") all += layer.bytes.value_or(0), known = known && layer.bytes.has_value();
  return {", ", byte_words(advice.bytes),
          known ? Words{" of ", byte_words(all), " that layers read and write"} : " read and written"};
}

/// Says why the engine is slow and what to do, the dearest reason first.
void add_advice(std::vector<Line>& lines, const ExplainReport& report) {
  lines.push_back({"why slow, what to do first", Role::Heading, Where::Text});
  for (size_t i = 0; i < report.advice.size(); ++i) {
    const ExplainReport::Advice& advice = report.advice[i];
    lines.push_back(
        {{std::to_string(i + 1), ". ", share(advice.share), " in ", count(advice.layers, "layer"),
          moved_words(report, advice), ": ", advice.text, advice.cure.empty() ? "" : ". To do: " + advice.cure},
         Role::Detail});
    lines.back().detail = i >= kAdviceShown;
  }
  if (report.advice.empty())
    lines.push_back({"nothing that the file tells: layers of the network take the time", Role::Detail});
}

/// Returns a key that is equal for layers with alike causes: words that may be names of nodes are left out.
std::string cause_key(const EngineLayer& layer) {
  if (layer.cause.empty() && layer.kind == "layer") return layer.name;
  std::string key = layer.kind + " " + layer.finding + " ", word;
  for (const char character : layer.cause + ' ') {
    word += character;
    if (character != ' ') continue;
    if (word.find_first_of("/_+.[|") == std::string::npos) key += word;
    word.clear();
  }
  return key;
}

/// "fp32+int8 -> int8 -> fp32"
Words types_words(const EngineLayer& layer) {
  std::vector<std::string> inputs;
  for (const std::string& type : layer.inputs)
    if (std::ranges::find(inputs, type) == inputs.end()) inputs.push_back(type);
  return {inputs.empty() ? "-" : join(inputs, "+"), arrow(), layer.arithmetic, arrow(), layer.output};
}

/// Names the arithmetic of a layer of the network, or what else the layer is.
Cell kind_cell(const EngineLayer& layer) {
  static constexpr std::array<std::string_view, 5> kKinds{"quantize", "reformat", "copy", "layer",
                                                          "none"};  // sorted so
  const bool network = layer.kind == "layer", moves = layer.kind == "quantize" || layer.kind == "reformat";
  Cell cell{network ? layer.arithmetic : layer.kind};
  cell.key = static_cast<double>(std::ranges::find(kKinds, layer.kind) - kKinds.begin());
  cell.tone = network && layer.arithmetic == "int8" ? Tone::Codes : moves ? Tone::Doubtful : Tone::Usual;
  cell.meaning = layer.name;
  return cell;
}

document::Grid::Row engine_row(const EngineLayer& layer, size_t position) {
  const bool told = !layer.cause.empty() || layer.kind == "layer" || layer.kind == "none";
  const std::string cause = told ? layer.cause : "the file does not tell why";
  const Words cure = labelled("cure: ", layer.cure);
  Cell bar{Words()};
  bar.marks = {layer.share};
  document::Grid::Row row{.cells = {count(position),
                                    {name(layer.nodes.empty() || layer.block ? layer.name : join(layer.nodes, " + ")),
                                     joined({cause, cure}, "; ")},
                                    bar,
                                    share(layer.share),
                                    time_cell(layer.ms),
                                    kind_cell(layer),
                                    types_words(layer),
                                    byte_words(layer.bytes)}};
  row.item = {{.lead = "  ",
               .name = {layer.block ? "block " : "", name(layer.name)},
               .after = {" (", layer.kind == "layer" ? "" : layer.kind + ": ", types_words(layer), ")"},
               .reason = cause,
               .otherwise = cure,
               .part = layer.share,
               .detail = layer.kind == "none",
               .key = cause_key(layer)}};
  return row;
}

/// Returns the row of a layer that a text only counts.
/// first_cause  of the layers that are alike
document::Grid::Row counted_row(const EngineLayer& layer, const std::string& first_cause) {
  document::Grid::Row row;
  row.item = {{.reason = layer.cause == first_cause ? "" : "another",
               .part = layer.share,
               .detail = layer.kind == "none",
               .key = cause_key(layer)}};
  return row;
}

/// Removes columns that say nothing of any row.
void drop_empty_columns(document::Grid& table) {
  for (size_t i = table.columns.size(); i-- > 0;) {
    const auto empty = [i](const auto& row) {
      return row.cells.size() <= i || (row.cells[i].words.empty() && row.cells[i].marks.empty());
    };
    if (!std::ranges::all_of(table.rows, empty)) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows)
      if (row.cells.size() > i) row.cells.erase(row.cells.begin() + at);
  }
}

/// Lists the layers, those of the dearest cause first, each with its position in the engine.
Section engine_layers(const ExplainReport& report, Lists lists) {
  document::Grid table{.id = "layer-table",
                       .label = "Search layers",
                       .columns = {{"#", Kind::Number, "Position in the engine"},
                                   {"Layer", Kind::Name},
                                   {"", Kind::Chart},
                                   {"Share", Kind::Number, "Share of the time, or of the layers without a profile"},
                                   {"ms", Kind::Number, "Mean time of one run, or its estimate"},
                                   {"Kind", Kind::Tag, "Arithmetic of a layer of the network, or what else it is"},
                                   {"Reads \u2192 computes \u2192 writes", Kind::MinorWords},
                                   {"Bytes", Kind::Minor, "That it reads and writes"}},
                       .heading = "layers, those of the dearest cause first",
                       .capped = true,
                       .noun = "layer",
                       .whole = 1,
                       .of_whole = of_whole(report.summary),
                       .most = kLayersShown,
                       .names = 1,
                       .scale = Scale{.form = Scale::Form::Bar}};
  std::map<std::string, double> shares;
  for (const EngineLayer& layer : report.layers) shares[cause_key(layer)] += layer.share;
  std::map<std::string, std::pair<size_t, std::string>> seen;  // rows of a key, and the first one's cause
  for (const EngineLayer& layer : report.layers) {
    auto& [rows, cause] = seen[cause_key(layer)];
    if (rows++ == 0) cause = layer.cause;
    if (lists == Lists::All || rows <= kNamed) {
      table.rows.push_back(engine_row(layer, table.rows.size() + 1));
      if (lists == Lists::Capped) table.rows.back().cells = {};
    } else {
      table.rows.push_back(counted_row(layer, cause));
    }
  }
  std::ranges::stable_sort(table.rows, std::ranges::greater{}, [&](const document::Grid::Row& row) {
    const Item& item = row.item.front();
    return std::pair(shares[item.key], item.part);
  });
  drop_empty_columns(table);
  Section section{Topic::Layers, {}};
  for (const std::string& note : report.notes) section.parts.push_back(Line{note, Role::Note});
  section.parts.push_back(
      Line{"Those of the dearest cause first; a click on a head sorts. Below a layer stand its cause and its cure. "
           "Times of single layers add to more than the engine needs.",
           Role::Lead});
  section.parts.emplace_back(std::move(table));
  return section;
}

/// Lists what was predicted otherwise than it is.
document::Grid wrong_table(const ExplainReport& report) {
  document::Grid table{.id = "prediction-table",
                       .label = "Wrong predictions",
                       .columns = {{"Node or layer", Kind::Name}, {"Prediction", Kind::Words}},
                       .search = false,
                       .noun = "prediction"};
  const auto add = [&](const std::string& what, const Words& is) {
    table.rows.push_back(
        {.cells = {name(what), is}, .item = {{.lead = "  ", .name = name(what), .after = {": ", is}}}});
  };
  const Predictions& predictions = *report.predictions;
  for (const auto& fusion : predictions.fusions)
    if (!fusion.right)
      add(fusion.node, {"predicted ", fusion.fused ? "in" : "not in", " the layer of ", name(fusion.conv)});
  for (const std::string& node : predictions.folded) add(node, "predicted by itself, but part of a layer");
  for (const EngineLayer& layer : report.layers) {
    if (!layer.right)
      add(layer.name, {"predicted ", layer.predicted, ", is ", layer.kind == "layer" ? layer.arithmetic : layer.kind});
    if (!layer.predicted_output.empty() && (layer.predicted_output == "int8") != (layer.output == "int8"))
      add(layer.name, {"predicted to write ", layer.predicted_output, ", writes ", layer.output});
  }
  for (const std::string& node : predictions.missing) add(node, "not named by the engine");
  return table;
}

/// Lists the places where a reformat may stand.
document::Grid places_table(const Predictions& predictions) {
  document::Grid table{.id = "place-table",
                       .label = "Places where a reformat may stand",
                       .columns = {{"Place", Kind::Name}, {"Reformats", Kind::Number, "That the engine has there"}},
                       .heading = "places where a reformat may stand",
                       .search = false,
                       .noun = "place",
                       .detail = true};
  for (const auto& place : predictions.reformat_places)
    table.rows.push_back({{{name(place.node), Words(place.reason)}, count(place.reformats)}});
  return table;
}

Section predictions_section(const ExplainReport& report) {
  Section section{Topic::Predictions, {}};
  if (!report.predictions) return section;
  const Predictions& predictions = *report.predictions;
  const auto add = [&](Words words, Role role = Role::Statement) {
    section.parts.push_back(Line{std::move(words), role});
  };
  const auto right = [](const auto& items) {
    return count(static_cast<size_t>(std::ranges::count_if(items, [](const auto& item) { return item.right; })));
  };
  add({count(predictions.right), " of ", count(predictions.layers, "weighted layer"),
       " predicted right: INT8 or float"},
      Role::Apart);
  if (predictions.outputs > 0)
    add({count(predictions.outputs_right), " of ", count(predictions.outputs, "INT8 layer"),
         " predicted right: writes codes or floats"});
  if (report.form != "onnxruntime" && report.form != "rknn" &&
      (predictions.quantizers > 0 || report.summary.standalone_quantize > 0))
    add({count(predictions.quantizers, "quantizer"), " predicted by themselves, ", count(predictions.quantizers_right),
         " of them are, of ", count(report.summary.standalone_quantize), " in the engine"});
  if (!predictions.fusions.empty())
    add({right(predictions.fusions), " of ", count(predictions.fusions.size(), "node"),
         " predicted right: in the layer of the Conv in front, or not"});
  size_t there = 0;
  for (const auto& place : predictions.reformat_places) there += place.reformats;
  const size_t elsewhere = predictions.reformats_elsewhere;
  if (there + elsewhere > 0 || !predictions.reformat_places.empty())
    add({count(predictions.reformat_places.size(), "place"), " predicted to have a reformat each at most; ",
         count(there), " of ", count(there + elsewhere, "reformat"), " in the engine stand there",
         elsewhere > 0 ? Words{", ", count(elsewhere), " elsewhere"} : Words()});
  if (!predictions.copies.empty())
    add({count(predictions.copies.size(), "copy", "copies"), " predicted for Concats, ", right(predictions.copies),
         " of them are in the engine"});
  section.parts.emplace_back(wrong_table(report));
  section.parts.emplace_back(places_table(predictions));
  return section;
}

/// Lists the layers that another engine builds otherwise.
document::Grid differences_table(const ExplainReport::Against& against) {
  document::Grid table{.id = "difference-table",
                       .label = "Search differences",
                       .columns = {{"Nodes", Kind::Name},
                                   {"Here", Kind::Words},
                                   {"There", Kind::Words},
                                   {"ms here", Kind::Minor},
                                   {"ms there", Kind::Minor}},
                       .noun = "layer",
                       .most = kLayersShown};
  const auto side = [](const std::string& layer, const std::string& computes) {
    return layer.empty() ? Words("no layer") : Words{computes, "  ", name(layer)};
  };
  for (const auto& difference : against.differences) {
    const Words here = side(difference.layer, difference.computes),
                there = side(difference.other, difference.other_computes);
    table.rows.push_back({.cells = {name(join(difference.nodes, " + ")), here, there, time_cell(difference.ms),
                                    time_cell(difference.other_ms)},
                          .item = {{.lead = "  here   ", .name = here, .otherwise = {"there  ", there}}}});
  }
  drop_empty_columns(table);
  return table;
}

Section against_section(const std::optional<ExplainReport::Against>& against) {
  Section section{Topic::Against, {}};
  if (!against) return section;
  section.parts = {Line{{"against ", name(against->file), ", ", count(against->layers, "layer"), ": ",
                         count(against->same, "layer"), " alike, ", count(against->differences.size()), " different"},
                        Role::Apart},
                   Line{{"there ", shares_words(against->summary)}, Role::Detail},
                   Line{{"there ", mover_words(against->summary)}, Role::Detail}, differences_table(*against)};
  return section;
}

}  // namespace

Document document_of(const ExplainReport& report, Lists lists) {
  const ExplainReport::Summary& summary = report.summary;
  Document document{
      .subject = "What the engine became",
      .title = "engine",
      .file = report.file,
      .facts = {form_words(report)},
      .verdict = {Line{shares_words(summary), Role::Apart, Where::Text}, Line{{mover_words(summary)}}},
      .sections = {engine_layers(report, lists), predictions_section(report), against_section(report.against)}};
  add_advice(document.verdict, report);
  const Words of = of_whole(summary);
  document.figures.figures = {{share(summary.int8), "INT8", of},
                              {share(summary.fp16), "FP16", of},
                              {share(summary.fp32), "FP32", of},
                              {share(summary.reformat), "reformats, quantizers, copies", of}};
  return document;
}

}  // namespace detent::build
