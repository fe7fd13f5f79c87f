#include <array>

#include "report/build/sections.h"
#include "report/quantities.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using Row = document::Grid::Row;

constexpr size_t kFloatLinesShown = 20;

Words share_of_macs(int64_t macs, const CoverageReport& coverage) {
  return coverage.macs > 0 ? Words{" (", share_of(macs, coverage.macs), " of MACs)"} : Words();
}

/// Returns "parameters 98.7 % INT8, embeddings 100 % INT8, activation bytes 59.3 %"; embeddings where there are any,
/// bytes only where shapes are known.
Words shares(const CoverageReport& coverage) {
  std::vector<Words> parts;
  if (coverage.params > 0)
    parts.push_back({"parameters ", share_of(coverage.int8_params, coverage.params), " ", name_of(coverage.type)});
  if (coverage.embedding_params > 0)
    parts.push_back({"embeddings ", share_of(coverage.int8_embedding_params, coverage.embedding_params), " INT8"});
  if (coverage.activation_bytes > 0)
    parts.push_back({"activation bytes ", share_of(coverage.int8_activation_bytes, coverage.activation_bytes)});
  return joined(parts);
}

/// Adds the shares of one measure; nothing where all are 0.
void add_type_row(document::Grid& table, const char* what, const std::array<int64_t, 3>& parts, Unit unit) {
  const int64_t whole = parts[0] + parts[1] + parts[2];
  if (whole == 0) return;
  Row row{.cells = {Cell(Words(what))}};
  for (const int64_t part : parts) {
    Cell& cell = row.cells.emplace_back(share_of(part, whole));
    cell.meaning = number_text({.value = static_cast<double>(part), .unit = unit});
  }
  table.rows.push_back(std::move(row));
}

/// Adds the numbers behind type_shares(), of the types that are no codes.
void add_type_bars(std::vector<Part>& parts, const TypeShares& types) {
  const int64_t macs = types.int8.macs + types.half.macs + types.float32.macs;
  const int64_t all = types.int8.activation_bytes + types.half.activation_bytes + types.float32.activation_bytes;
  const auto add = [&](const TypeShare& type, const char* what) {
    Bars bars{.bars = {}, .what = what, .where = Where::Text};
    if (macs > 0) bars.bars.push_back({"MACs", type.macs, macs, Unit::Count});
    if (all > 0) bars.bars.push_back({"activation bytes of the file", type.activation_bytes, all, Unit::Count});
    parts.push_back(std::move(bars));
  };
  add(types.int8, "in codes");
  if (types.has_half()) add(types.half, "in half");
  add(types.float32, "in FP32");
}

/// Returns the node with its value and measurement, and as one of several with the same rule and reason.
Row exception_row(const FloatReport::Exception& exception) {
  const bool measured = !exception.value.empty();
  Row row;
  row.cells = {Cell({name(exception.node), " ", minor(exception.op_type)}, Words(exception.reason)),
               Cell(Words(exception.rule)), Cell(measured ? name(exception.value) : Words("\u2013")),
               Cell(measured ? significant(exception.measured, 4) : Words("\u2013"))};
  row.item = {{.lead = "  float32: ",
               .name = {name(exception.node), " (" + exception.op_type + ")"},
               .after = {},
               .rule = exception.rule,
               .reason = exception.reason}};
  return row;
}

document::Grid exceptions_table(const FloatReport& report) {
  document::Grid table{
      .id = "float-nodes",
      .label = "Search nodes",
      .columns = {{"Node", Kind::Name},
                  {"Rule", Kind::MinorWords},
                  {"Value", Kind::MinorWords},
                  {"measured", Kind::Number, "Of the value in the samples, in the unit that the reason names"}},
      .folded = {"Every node in FP32: ", count(report.exceptions.size())},
      .by_reason = true,
      .exact = true,
      .most = kFloatLinesShown};
  for (const auto& exception : report.exceptions) table.rows.push_back(exception_row(exception));
  return table;
}

}  // namespace

Words coverage_words(const CoverageReport& coverage) {
  Words all{count(coverage.int8_layers), " of ",
            count(coverage.layers),      " weighted layers ",
            name_of(coverage.type),      share_of_macs(coverage.int8_macs, coverage)};
  if (coverage.int16_layers == 0) return all;
  return {all, ", ", count(coverage.int16_layers), " with 16-bit activations",
          share_of_macs(coverage.int16_macs, coverage)};
}

std::vector<Figures::Figure> coverage_figures(const CoverageReport& coverage) {
  if (coverage.macs == 0) return {};
  return {{share_of(coverage.int8_macs, coverage.macs),
           {"MACs in ", name_of(coverage.type)},
           {count(coverage.int8_layers), " of ", count(coverage.layers), " layers"}}};
}

document::Grid type_shares(const CoverageReport& coverage) {
  const TypeShares& types = coverage.types;
  document::Grid table{.id = "type-shares",
                       .label = "Shares of the types",
                       .columns = {{"share of", Kind::Name, "", 16},
                                   {std::string(name_of(coverage.type)), Kind::Number, "", 7},
                                   {"half", Kind::Number, "FP16 or BF16", 7},
                                   {"FP32", Kind::Number, "", 7}},
                       .search = false};
  if (!types.has_half()) return table;
  add_type_row(table, "MACs", {types.int8.macs, types.half.macs, types.float32.macs}, Unit::Count);
  add_type_row(table, "activation bytes",
               {types.int8.activation_bytes, types.half.activation_bytes, types.float32.activation_bytes}, Unit::Bytes);
  return table;
}

Section coverage(const PlanReport& plan) {
  const CoverageReport& coverage = plan.coverage;
  const std::string type(name_of(coverage.type));
  Section section{Topic::Coverage, {}};
  section.parts.push_back(
      Line{{"Share that runs in ", type, "; the rest stays float. Activation bytes count four bytes per element."},
           Role::Lead});
  Words sums{coverage_words(coverage), "; ", count(coverage.pairs, "pair"), " on ",
             count(plan.quantized_values, "value")};
  if (plan.shared_scale_groups) sums += {", ", count(plan.shared_scale_groups, "group"), " of shared scales"};
  if (const auto dynamic =
          static_cast<size_t>(std::ranges::count(plan.layers, Runs::Dynamic, &PlanReport::Layer::runs)))
    sums += {"; ", count(dynamic, "layer"), dynamic == 1 ? " finds its scale" : " find their scales", " at run time"};
  section.parts.push_back(Line{sums, Role::Apart});
  if (coverage.casts > 0 && !plan.floats)
    section.parts.push_back(Line{{count(coverage.casts, "cast"), " between float types"}, Role::Detail});
  section.parts.push_back(Line{shares(coverage), Role::Statement, Where::Text});
  Bars bars{.bars = {}, .what = "in " + type};
  for (const Bars::Bar& bar :
       {Bars::Bar{"weighted layers", coverage.int8_layers, coverage.layers},
        Bars::Bar{"MACs", coverage.int8_macs, coverage.macs, Unit::Count},
        Bars::Bar{"parameters", coverage.int8_params, coverage.params, Unit::Count},
        Bars::Bar{"activation bytes", coverage.int8_activation_bytes, coverage.activation_bytes, Unit::Bytes}})
    if (bar.whole > 0) bars.bars.push_back(bar);
  if (bars.bars.empty() && coverage.pairs == 0) return {Topic::Coverage, {Line{sums, Role::Apart, Where::Text}}};
  section.parts.push_back(std::move(bars));
  section.parts.push_back(type_shares(coverage));
  add_type_bars(section.parts, coverage.types);
  return section;
}

/// Returns "1.35", a GPU's milliseconds of FP16 over those of the file.
Number times(const GpuEstimate& estimate) { return {.value = estimate.ratio, .digits = 2}; }

Number estimated_ms(double value) { return {.value = value, .unit = Unit::Milliseconds, .digits = 2}; }

Line estimate_line(const SpeedEstimate& estimate) {
  Number ratio = times(estimate);
  ratio.error = estimate.ratio * estimate.error;
  return Line{{"estimate: ", ratio, " of FP16 on an ", estimate.gpu, " (", estimated_ms(estimate.float_ms), " -> ",
               estimated_ms(estimate.ms), "); ", estimate.source},
              Role::Apart};
}

Line other_gpus(const SpeedEstimate& estimate) {
  std::vector<Words> others;
  for (const GpuEstimate& one : estimate.others)
    others.push_back({one.gpu, " ", times(one), " (", estimated_ms(one.float_ms), " -> ", estimated_ms(one.ms), ")"});
  return Line{{"by data sheets, not measured: ", joined(others)}, Role::Detail};
}

Section quantizers(const PlanReport& plan) {
  Section section{Topic::Quantizers, {}};
  if (!plan.outlook) return section;
  document::Grid table{
      .id = "quantizer-table",
      .label = "Search quantizers",
      .columns = {{"Node", Kind::Name}, {"Shortcut", Kind::Tag, "The reason is an Add whose shortcut has no pair"}},
      .noun = "quantizer"};
  for (const StandaloneQuantizer& one : plan.quantizers) {
    Cell shortcut(Words(one.shortcut ? "shortcut" : "\u2013"));
    shortcut.key = one.shortcut ? 1 : 0;
    shortcut.tone = one.shortcut ? Tone::Doubtful : Tone::None;
    table.rows.push_back({.cells = {Cell(name(one.node), Words(one.reason)), shortcut},
                          .item = {{.lead = "  alone: ", .name = name(one.node), .after = {}, .reason = one.reason}}});
  }
  section.parts = {Line{plan.outlook->text},
                   Line{{"Counts of what TensorRT runs. Only a measurement tells the speed: ",
                         code("quantize --latency-command trtexec"), "."},
                        Role::Lead},
                   std::move(table)};
  if (plan.estimate) {
    section.parts.insert(section.parts.begin() + 1, estimate_line(*plan.estimate));
    section.parts.insert(section.parts.begin() + 2, other_gpus(*plan.estimate));
  }
  return section;
}

Section floats(const std::optional<FloatReport>& report) {
  Section section{Topic::Floats, {}};
  if (!report) return section;
  std::vector<Part>& parts = section.parts;
  parts.push_back(Line{{"Nodes that have no pairs compute in ", report->type,
                        " unless their operator, constants or values forbid it. A layer between pairs is counted by "
                        "the float type around it."},
                       Role::Lead});
  parts.push_back(Line{{count(report->half_nodes, "node"), " in ", report->type, ", ", count(report->float32_nodes),
                        " in float32, ", count(report->casts, "cast"), " added"}});
  parts.push_back(Figures{{{count(report->half_nodes), {"nodes in ", report->type}},
                           {count(report->float32_nodes), "nodes in FP32"},
                           {count(report->casts), "casts added"}}});
  if (!report->cut_masks.empty()) {
    std::vector<Words> masks;
    for (const std::string& mask : report->cut_masks) masks.push_back(name(mask));
    parts.push_back(Line{{"masks cut to the range of the type: ", joined(masks), "  Softmax still turns them into 0"},
                         Role::Detail});
  }
  if (report->half_nodes + report->float32_nodes == 0)
    parts.push_back(Line{"no value is FP32, and values of other types keep them", Role::Detail});
  parts.push_back(exceptions_table(*report));
  if (!report->values_measured) parts.push_back(Line{without_samples_text(*report), Role::Detail});
  return section;
}

Section graph(const PlanReport& plan, const std::vector<LintReport::Finding>& findings) {
  if (plan.graph.nodes.empty()) return {Topic::Graph, {}};
  return {Topic::Graph, {Drawing{document::Graph{&plan, findings}}}};
}

}  // namespace detent::build
