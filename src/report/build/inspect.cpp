#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/build/documents.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;

std::string shape_text(const std::vector<int64_t>& shape) {
  return shape.empty() ? "scalar"
                       : join(shape, "x", [](int64_t size) { return size < 0 ? "?" : std::to_string(size); });
}

/// "float 1x3x?x?", "float, shape not declared", "not declared"
std::string type_text(const TensorInfo& tensor) {
  if (tensor.has_shape) return tensor.type + " " + shape_text(tensor.shape);
  return tensor.type == "undefined" ? "not declared" : tensor.type + ", shape not declared";
}

/// "34 nodes in float16, 2 in float32, 4 casts"; none where all are of one type.
Words float_nodes(const ModelReport& report) {
  if (report.float_casts == 0 && report.float_nodes.size() < 2) return {};
  std::vector<Words> parts;
  for (const auto& [type, nodes] : report.float_nodes)
    parts.push_back({count(nodes, parts.empty() ? "node" : ""), " in " + type});
  parts.push_back(count(report.float_casts, "cast"));
  return joined(parts);
}

/// The facts of a model, with the provenance of a written one.
Properties facts(const ModelReport& report) {
  Properties list{"", {{"Producer", report.producer}}};
  if (report.provenance) {
    const Section made = provenance(*report.provenance, std::nullopt);
    for (const Part& part : made.parts)
      if (const auto* rows = std::get_if<Properties>(&part)) list.rows = rows->rows;
  }
  list.rows.push_back({"Parameters", count(report.parameters)});
  for (const TensorInfo& input : report.inputs)
    list.rows.push_back({"Input", {name(input.name), behind(type_text(input))}});
  for (const TensorInfo& output : report.outputs)
    list.rows.push_back({"Output",
                         {name(output.name), behind(type_text(output)),
                          output.meaning ? Words{", ", meaning_words(*output.meaning)} : Words()}});
  list.rows.push_back({"Detections", report.detections});
  list.rows.push_back({"Floats", float_nodes(report)});
  list.rows.push_back({"Expanded", expanded_words(report.expanded)});
  return list;
}

Section operators(const ModelReport& report) {
  document::Grid table{.columns = {{""}, {"", Kind::Words}}, .heading = "operators"};
  for (const auto& [op, nodes] : report.operators) table.rows.push_back({{count(nodes), Words(op)}});
  Section section{Topic::Coverage, {table}};
  if (report.unsupported.empty())
    section.parts.push_back(Line{"every node can run"});
  else
    section.parts.push_back(Line{{count(report.unsupported.size(), "node"), " cannot run"}});
  for (const auto& node : report.unsupported)
    section.parts.push_back(
        Line{{"node ", document::quoted(node.node), " (", node.op, "): ", node.reason}, Role::Detail});
  return section;
}

/// "1/1, 2/4", or what is said without items.
Words listed_or(const std::vector<std::string>& items, const char* none) { return items.empty() ? none : join(items); }

/// How long the pass took, and how many samples were measured before it.
Words pass_words(const TableReport& report) {
  if (!report.seconds) return {};
  Words words = seconds(*report.seconds);
  if (*report.seconds > 0 && report.measured > 0)
    words += {" (", fixed(static_cast<double>(report.measured) / *report.seconds, 0), "/s)"};
  const size_t before = report.samples.size() - report.measured;
  return before > 0 ? Words{words, "; ", count(before, "sample"), " measured before"} : words;
}

Section table_facts(const TableReport& report) {
  Words largest, equalized;
  if (report.float_values > 0)
    largest = {"|x| of ", count(report.float_values, "float value"), ", for --float-type fp16 and bf16"};
  if (!report.equalize.empty()) equalized = {report.equalize, ", ", count(report.equalized_values, "value")};
  return {
      Topic::Model,
      {Properties{
          "",
          {{"Model", report.model_fingerprint},
           {"Samples",
            {count(report.samples.size()), ", shards ", listed_or(report.shards, "none (imported)"),
             report.partial ? "; interrupted, continue with --resume" : ""}},
           {"Missing", labelled("shards ", join(report.missing_shards))},
           {"Skipped", report.skipped_samples > 0 ? count(report.skipped_samples, "unreadable sample") : Words()},
           {"Values", {count(report.values.size()), ", for ", listed_or(report.targets, "every target")}},
           {"Largest", largest},
           {"Equalized", equalized},
           {"Made by", {listed_or(report.tools, "?"), " on ", listed_or(report.instruction_sets, "no CPU (imported)")}},
           {"Took", pass_words(report)}}}}};
}

const Table::Column kValueColumn{"value", Kind::Name, "", 0, 48};  // very long names exceed it

document::Grid table_values(const TableReport& report) {
  constexpr int kDigits = 6, kDigitsOfScale = 9;
  document::Grid table{.columns = {kValueColumn, {"count"}, {"zeros"}, {"min"}, {"max"}, {"width"}, {"bins"}},
                       .heading = "values"};
  const auto finite = [](const TableReport::Value& value) { return value.nans + value.infinities == 0; };
  if (!std::ranges::all_of(report.values, finite)) table.columns.push_back({"", Kind::Words});
  for (const TableReport::Value& value : report.values) {
    document::Grid::Row row{{name(value.name)}};
    if (value.scale) {
      row.cells.front().reason = {"scale ", significant(*value.scale, kDigitsOfScale), " (imported)"};
    } else {
      const double zeros = value.count ? static_cast<double>(value.zeros) / static_cast<double>(value.count) : 0;
      for (const Words& words :
           {count(value.count), share(zeros), significant(value.min, kDigits), significant(value.max, kDigits),
            Words{"2^", fixed(value.log2_width, 0)}, count(value.bins_in_use)})
        row.cells.emplace_back(words);
      if (!finite(value)) row.cells.emplace_back(Words{count(value.nans), " NaN, ", count(value.infinities), " Inf"});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Lists the largest |x| of single tokens and channels, for the values that have them.
document::Grid table_tokens(const std::vector<TableReport::Value>& values) {
  constexpr int kDigits = 4;
  document::Grid table{
      .columns = {kValueColumn, {"first"}, {"median"}, {"99 %"}, {"others"}, {"channels"}, {"wide"}, {"largest"}},
      .heading =
          "largest |x| of tokens (the first of a sequence; median, 99 % and largest of the others) and of "
          "channels (median; number with at least half of the largest, and index of the largest)"};
  for (const TableReport::Value& value : values) {
    if (!value.tokens) continue;
    const auto& tokens = *value.tokens;
    document::Grid::Row row{{name(value.name)}};
    for (const double amax : {tokens.first, tokens.median, tokens.p99, tokens.others, tokens.median_channel})
      row.cells.emplace_back(significant(amax, kDigits));
    row.cells.emplace_back(Words{count(tokens.wide_channels), " of ", count(tokens.channels)});
    row.cells.emplace_back(count(tokens.largest_channel));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Draws how many elements lie between two bounds.
document::Grid histogram_table(const DistributionReport& report) {
  constexpr int kDigits = 6;
  document::Grid table{.columns = {{"from"}, {"to"}, {"elements"}, {"", Kind::Chart}},
                       .heading = "zeros left out; bars are logarithmic",
                       .scale = Scale{.form = Scale::Form::Bar}};
  for (const auto& row : report.rows) {
    Cell bar{Words()};
    bar.marks = {std::log1p(static_cast<double>(row.count))};
    table.rows.push_back({{significant(row.low, kDigits), significant(row.high, kDigits), count(row.count), bar}});
  }
  return table;
}

}  // namespace

Document document_of(const ModelReport& report) {
  Document document{.subject = "Model",
                    .title = "model",
                    .file = report.model,
                    .facts = {{"IR ", count(report.ir)}},
                    .sections = {{Topic::Model, {facts(report)}}, operators(report)}};
  for (const auto& [domain, version] : report.opset)
    document.facts.push_back({domain.empty() ? "opset" : domain, " ", count(version)});
  if (report.quantized) document.facts.emplace_back("quantized");
  if (report.input_check) add_input_check(document, *report.input_check, true);
  return document;
}

Document document_of(const TableReport& report, TableUse use) {
  Document document{.subject = "Calibration table",
                    .title = "calibration table",
                    .file = report.table,
                    .facts = {"calibration table", bytes(report.bytes)},
                    .sections = {table_facts(report), outliers(report.outliers)}};
  if (use == TableUse::Made)
    document.sections.push_back(
        {Topic::Model, {Line{{report.kept ? "kept " : "wrote ", name(report.table), " (", bytes(report.bytes), ")"}}}});
  else
    document.sections.push_back({Topic::Values, {table_values(report), table_tokens(report.values)}});
  return document;
}

Document document_of(const DistributionReport& report) {
  constexpr int kDigits = 9;
  const TableReport::Value& value = report.value;
  Section section{Topic::Values,
                  {Line{{count(value.count, "element"), ", ", count(value.zeros, "zero"), ", min ",
                         significant(value.min, kDigits), ", max ", significant(value.max, kDigits), ", ",
                         count(value.bins_in_use, "bin"), " 2^", fixed(value.log2_width, 0), " wide"},
                        Role::Detail}}};
  if (value.nans + value.infinities > 0)
    section.parts.push_back(
        Line{{count(value.nans), " NaN and ", count(value.infinities), " Inf left out"}, Role::Detail});
  section.parts.push_back(Line{report.rows.empty() ? "only zeros" : "", Role::Detail});
  section.parts.insert(section.parts.end(), {histogram_table(report), table_tokens({value})});
  return {.subject = "Distribution",
          .title = "distribution",
          .file = report.table,
          .facts = {{"distribution of ", document::quoted(value.name)}},
          .sections = {section}};
}

}  // namespace detent::build
