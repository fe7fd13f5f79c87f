#include <cmath>

#include "report/build/compared.h"
#include "report/build/documents.h"
#include "report/build/sections.h"
#include "report/compared_types.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using Row = document::Grid::Row;

Words ratio(double value) { return fixed(value, 3); }

/// Describes how a type was quantized, as a clause: "18 of 18 weighted layers, 24 pairs, calibrator mse".
Words made_words(const TypeVariant& variant) {
  const TypeFacts& facts = variant.facts;
  const Words layers{count(facts.quantized_layers), " of ", count(facts.layers, "weighted layer")};
  if (facts.quantized_layers == 0) return {layers, ": it stays the float model"};
  if (!facts.block)
    return {layers,
            ", ",
            count(facts.pairs, "pair"),
            ", calibrator ",
            variant.calibrator,
            facts.by_inputs ? ", weights rounded by GPTQ" : ""};
  return {"weights alone of ", layers,
          *facts.block == 0 ? Words(", a scale a channel") : Words{", blocks of ", count(*facts.block)},
          facts.by_inputs ? ", rounded by GPTQ" : ", nearest codes"};
}

/// Returns the loss or SQNR of one variant against the limit: "loses 0.50 points of top-1", "has 25.00 dB".
Words held_words(const TypeLimit& limit, size_t variant) {
  const double loss = limit.losses[variant];
  if (limit.metric == metrics::kSqnr.name)
    return std::isinf(loss) && loss > 0 ? Words("is exact") : Words{"has ", decibels(loss, 2)};
  if (loss == 0) return "loses nothing";
  const Metric& metric = metric_named(limit.metric);
  Number amount = number_of(metric, std::abs(loss));
  amount.bare = metric.unit == MetricUnit::Fraction;
  return {loss < 0 ? "gains " : "loses ", amount, " ", metric.loss};
}

/// Returns the variant that exceeds the limit least; unmeasured ones and the float model come last.
size_t closest(const CompareTypesReport& report, const TypeLimit& limit) {
  const auto beyond = [&](size_t v) {
    const double loss = limit.metric == metrics::kSqnr.name ? -limit.losses[v] : limit.losses[v];
    return report.variants[v].facts.quantized_layers == 0 || std::isnan(loss) ? INFINITY : loss;
  };
  size_t best = 0;
  for (size_t v = 1; v < limit.losses.size(); ++v)
    if (beyond(v) < beyond(best)) best = v;
  return best;
}

/// Returns the sizes of a model, their ratios to those of the float model, and the share of each type in its weights.
std::vector<Cell> size_cells(const Words& title, const CompareTypesReport& report, uint64_t size,
                             const TypeFacts& facts) {
  std::vector<Cell> cells{title, bytes(size), ratio(ratio_of(size, report.model_bytes)), bytes(weight_bytes(facts)),
                          ratio(ratio_of(weight_bytes(facts), report.weight_bytes))};
  for (const std::string& type : weight_types(report)) {
    const double part = weight_share(facts, type);
    cells.emplace_back(part > 0 ? share(part) : Words());
  }
  return cells;
}

/// Returns the column of losses; none without a limit, and where the limit is on the SQNR, which has a column already.
std::optional<Table::Column> loss_column(const std::optional<TypeLimit>& limit) {
  if (!limit || limit->metric == metrics::kSqnr.name) return std::nullopt;
  const Metric& metric = metric_named(limit->metric);
  return Table::Column{metric.falls() ? "Rise" : "Loss", Kind::Number,
                       std::string("Against FP32, ") + metric.loss + ", which " + limit->option + " limits"};
}

/// Lists the sizes of files and weights, the shares of types, and how each was made.
document::Grid sizes_table(const CompareTypesReport& report) {
  document::Grid table{
      .id = "sizes-table",
      .label = "Sizes by type",
      .columns = {{"Type", Kind::Name},
                  {"File", Kind::Number, "Size of the file"},
                  {"/FP32", Kind::Number, "Over the float model's file"},
                  {"Weights", Kind::Number, "Bytes of all weights in the file, with their scales"},
                  {"/FP32", Kind::Number, "Over the bytes of the float model's weights"}},
      .heading = {"sizes, and shares of the types in the bytes of the weights",
                  report.limit && !report.limit->smallest.empty() ? "; * smallest within the limit" : ""},
      .mark = "smallest",
      .search = false,
      .noun = "type"};
  for (const std::string& type : weight_types(report))
    table.columns.push_back({type, Kind::Number, "Share of the bytes of weights that is " + type});
  const auto losses = loss_column(report.limit);
  if (losses) table.columns.push_back(*losses);
  table.columns.push_back({"How it was made", Kind::Words});
  for (size_t v = 0; v < report.variants.size(); ++v) {
    const TypeVariant& variant = report.variants[v];
    Row& row = table.rows.emplace_back(Row{.cells = size_cells(variant.name, report, variant.size_bytes, variant.facts),
                                           .marked = report.limit && report.limit->smallest == variant.name});
    if (losses) row.cells.emplace_back(Words(amount_of(metric_named(report.limit->metric), report.limit->losses[v])));
    row.cells.emplace_back(made_words(variant));
  }
  const TypeFacts whole{.weight_bytes = {{"float", report.weight_bytes}}};
  Row& row =
      table.rows.emplace_back(Row{.cells = size_cells("FP32", report, report.model_bytes, whole), .apart = true});
  row.cells.insert(row.cells.end(), losses ? 2 : 1, Cell(Words()));
  return table;
}

}  // namespace

Compared compared(const CompareTypesReport& report) {
  Compared rows{report, "type"};
  for (const TypeVariant& one : report.variants) {
    rows.variants.push_back(&one), rows.calibrators.push_back(one.calibrator);
    rows.quantized.push_back(one.facts.quantized_layers > 0);
  }
  return rows;
}

Words limit_words(const CompareTypesReport& report) {
  if (!report.limit) return {};
  const TypeLimit& limit = *report.limit;
  const Words option{limit.option, limit.given ? "" : " (the default)"};
  const auto smallest = std::ranges::find(report.variants, limit.smallest, &ComparedVariant::name);
  if (smallest == report.variants.end()) {
    const size_t v = closest(report, limit);
    return {"no type is within ",    option,     "; the closest is ",
            report.variants[v].name, ", which ", held_words(limit, v)};
  }
  return {"smallest within ",
          option,
          ": ",
          smallest->name,
          ", which ",
          held_words(limit, static_cast<size_t>(smallest - report.variants.begin())),
          "; its file has ",
          ratio(ratio_of(smallest->size_bytes, report.model_bytes)),
          " of the size of FP32, its weights ",
          ratio(ratio_of(weight_bytes(smallest->facts), report.weight_bytes))};
}

Document document_of(const CompareTypesReport& report) {
  const Compared rows = compared(report);
  Document document = comparison_document(rows, report.target);
  add_winner(document, rows, "");
  document.verdict.push_back({limit_words(report), Role::Beside});
  add_early_end(document, report.ended);
  Section scores = candidates(rows, "Each was calibrated and run on the same samples.", {}, false);
  if (!scores.parts.empty()) scores.parts.insert(scores.parts.begin() + 3, Part(sizes_table(report)));
  document.sections = {judged(rows, count(report.variants.size(), "type")),
                       outliers(report.outliers),
                       equalization(report.equalized),
                       std::move(scores),
                       detections(report.detections),
                       provenance(report.provenance, std::nullopt)};
  return document;
}

}  // namespace detent::build
