#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "report/compared_types.h"
#include "report/html/axis.h"
#include "report/html/metric.h"
#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

using Variant = PrintedComparison::Variant;
using Metrics = std::map<std::string, double>;

constexpr double kNoCandidate = std::numeric_limits<double>::quiet_NaN();

double value_or_nan(const Metrics& metrics, const std::string& name) {
  return find_metric(metrics, name).value_or(kNoCandidate);
}

/// Returns the extent of the criterion's values, of FP32 too; an outlier does not push the others together.
Extent criterion_extent(const PrintedComparison& report) {
  std::vector<double> values{value_or_nan(report.fp32, report.criterion)};
  for (const auto& variant : report.variants) values.push_back(value_or_nan(variant.metrics, report.criterion));
  return extent_of(std::move(values), metric_named(report.criterion).falls() ? Bad::High : Bad::Low);
}

Axis criterion_axis(const PrintedComparison& report) {
  const Extent extent = criterion_extent(report);
  return padded_axis(extent.low, extent.high, 0.06);
}

std::vector<Table::Column> candidates_columns(const PrintedComparison& report,
                                              const std::vector<std::string>& metrics) {
  std::vector<Table::Column> columns{{report.types             ? "Type"
                                      : report.targets.empty() ? "Calibrator"
                                                               : "Target",
                                      Kind::Name}};
  for (size_t i = 0; i < metrics.size(); ++i) {
    const MetricStyle style = metric_style(metrics[i]);
    std::string unit = style.unit;
    unit.erase(0, unit.find_first_not_of("\xC2\xA0"));  // the no-break space between number and unit
    columns.push_back({escape(style.label) + (unit.empty() ? "" : ", " + unit), Kind::Number, style.meaning});
    if (i == 0 && metrics[i] == report.criterion) columns.push_back({"", Kind::Chart});
  }
  if (!report.types) columns.push_back({"Size"});
  columns.push_back({"Time"});
  return columns;
}

/// Dot at the position on the axis: shown for candidates.
enum class Dot { Shown, Hidden };

/// Returns the standard error after a score.
std::string error_markup(const MetricStyle& style, double error) {
  return " <small class=\"minor\">\u00B1" + fixed_text(style.factor * error, style.decimals) + "</small>";
}

/// Adds the metrics of one row.
void add_metric_cells(Table::Row& row, const Metrics& values, const std::vector<std::string>& metrics,
                      const PrintedComparison& report, const Axis& axis, Dot dot,
                      const std::optional<double>& error = {}) {
  for (size_t i = 0; i < metrics.size(); ++i) {
    const double value = value_or_nan(values, metrics[i]);
    const MetricStyle style = metric_style(metrics[i]);
    const bool is_criterion = i == 0 && metrics[i] == report.criterion;
    row.cells.push_back({style.number(value) + (is_criterion && error ? error_markup(style, *error) : ""), value});
    if (is_criterion)
      row.cells.push_back({position_chart(axis, dot == Dot::Shown ? value : kNoCandidate,
                                          value_or_nan(report.fp32, report.criterion))});
  }
}

/// Adds size and time; the sizes of types have a separate table.
void add_size_and_time(Table::Row& row, const PrintedComparison& report, const ComparedVariant& variant) {
  const auto bytes = static_cast<double>(variant.size_bytes);
  if (!report.types) row.cells.push_back({variant.size_bytes ? bytes_text(bytes) : "\u2013", bytes});
  row.cells.push_back({fmt::format("{:.1f}\u00A0s", variant.seconds), variant.seconds});
}

std::string candidates_table(const PrintedComparison& report, const std::vector<std::string>& metrics) {
  const Axis axis = criterion_axis(report);
  Table table{candidates_columns(report, metrics)};
  const auto made_row = [&](const ComparedVariant& variant, const std::string& name, Dot dot) {
    Table::Row row{{{name}}, dot == Dot::Shown && variant.name == report.winner ? "best" : ""};
    add_metric_cells(row, variant.metrics, metrics, report, axis, dot, variant.score_error);
    add_size_and_time(row, report, variant);
    return row;
  };
  for (const Variant& variant : report.variants) {
    const std::string takes = " <small>" + std::string(compared_kind(report) == "calibrator" ? "takes " : "") +
                              escape(variant.takes) + "</small>";
    table.rows.push_back(made_row(variant, escape(variant.name) + (adds_calibrator(variant) ? takes : ""), Dot::Shown));
  }
  if (!report.fp32.empty()) {
    Table::Row& row = table.foot.emplace_back(Table::Row{{{"FP32"}}});
    add_metric_cells(row, report.fp32, metrics, report, axis, Dot::Hidden);
    row.cells.insert(row.cells.end(), report.types ? 1 : 2, {"<td></td>"});
  }
  for (const ComparedVariant& baseline : report.baselines)
    table.foot.push_back(made_row(baseline, escape(baseline.name) + " <small>without pairs</small>", Dot::Hidden));
  return scrolling(table, "candidates-table", "Candidates");
}

Table::Cell output_cell(const ComparedVariant& variant, const std::string& name) {
  const auto found = std::ranges::find(variant.outputs, name, &ErrorReport::Output::name);
  if (found == variant.outputs.end()) return fixed_cell(kNoCandidate, 2);
  if (found->kind != OutputKind::Integers) return fixed_cell(found->sqnr_db.value_or(kNoCandidate), 2);
  return {percent_text(found->agreement.value_or(0)), found->agreement.value_or(kNoCandidate)};
}

/// Prints the SQNR of every output under every calibrator, for models with several outputs.
std::string outputs_table(const PrintedComparison& report) {
  std::vector<std::string> names;
  Table table{{{"Output", Kind::Name}}};
  for (const Variant& variant : report.variants) {
    table.columns.push_back({escape(variant.name)});
    for (const auto& output : variant.outputs)
      if (std::ranges::find(names, output.name) == names.end()) names.push_back(output.name);
  }
  if (names.size() < 2) return {};
  for (const std::string& name : names) {
    Table::Row& row = table.rows.emplace_back(Table::Row{{{name_markup(name)}}});
    for (const Variant& variant : report.variants) row.cells.push_back(output_cell(variant, name));
  }
  return "<h3>Each output: SQNR in dB, of integers the share of equal elements</h3>" +
         scrolling(table, "outputs", "SQNR of each output");
}

Table::Cell bytes_cell(uint64_t bytes) { return {bytes_text(bytes), static_cast<double>(bytes)}; }

/// Returns the name, sizes, their ratio to the float model's, and the share of each type in the bytes of weights.
std::vector<Table::Cell> cells(const std::string& name, const PrintedComparison& report, uint64_t size,
                               const TypeFacts& facts) {
  std::vector<Table::Cell> row{{name},
                               bytes_cell(size),
                               fixed_cell(ratio_of(size, report.types->model_bytes), 3),
                               bytes_cell(weight_bytes(facts)),
                               fixed_cell(ratio_of(weight_bytes(facts), report.types->weight_bytes), 3)};
  for (const std::string& type : weight_types(*report.types)) {
    const double share = weight_share(facts, type);
    row.push_back(share > 0 ? Table::Cell{fixed_text(rounded_percent(share, 1), 1), share} : Table::Cell{"<td></td>"});
  }
  return row;
}

/// Prints sizes of the file and the weights, shares of types and how each was made, where the candidates are types.
std::string type_sizes_table(const PrintedComparison& report) {
  if (!report.types) return {};
  Table table{{{"Type", Kind::Name},
               {"File", Kind::Number, "Size of the file"},
               {"/ FP32", Kind::Number, "Over the float model's file"},
               {"Weights", Kind::Number, "Bytes of all weights in the file, with their scales"},
               {"/ FP32", Kind::Number, "Over the bytes of the float model's weights"}}};
  for (const std::string& type : weight_types(*report.types))
    table.columns.push_back({escape(type) + ", %", Kind::Number, "Share of the bytes of weights that is " + type});
  table.columns.push_back({"How it was made", Kind::Words});
  for (const PrintedComparison::Variant& variant : report.variants) {
    table.rows.push_back({cells(escape(variant.name), report, variant.size_bytes, variant.type->facts),
                          report.types->limit && variant.name == report.types->limit->smallest ? "smallest" : ""});
    table.rows.back().cells.push_back({escape(type_text(*variant.type))});
  }
  const TypeFacts whole{.weight_bytes = {{"float", report.types->weight_bytes}}};
  table.foot.push_back({cells("FP32", report, report.types->model_bytes, whole)});
  table.foot.back().cells.push_back({"<td></td>"});
  return "<h3>Sizes, and shares of the types in the bytes of the weights</h3>" +
         scrolling(table, "sizes-table", "Sizes by type");
}

/// Prints shares in INT8 and the names of float layers by target, where the candidates are targets.
std::string target_shares_table(const PrintedComparison& report) {
  if (report.targets.empty()) return {};
  const std::string type(name_of(report.plan.coverage.type));
  Table table{{{"Target", Kind::Name},
               {"Pairs", Kind::Number},
               {type + " layers", Kind::Number, "Weighted operators on codes"},
               {type + " MACs, %", Kind::Number, "Share of the multiply-accumulates"},
               {"Float layers", Kind::Number},
               {"Stays float", Kind::Words}}};
  std::string before;
  for (const Variant& variant : report.variants) {
    const TargetVariant& facts = *variant.target;
    if (std::exchange(before, facts.target) == facts.target) continue;  // another calibrator
    const CoverageReport& coverage = facts.plan.coverage;
    const auto whole = [](int64_t count) { return Table::Cell{std::to_string(count), static_cast<double>(count)}; };
    const double share =
        coverage.macs > 0 ? static_cast<double>(coverage.int8_macs) / static_cast<double>(coverage.macs) : kNoCandidate;
    std::string names;
    for (const PlanReport::Layer& layer : facts.plan.layers)
      if (!layer.int8) names += (names.empty() ? "" : ", ") + name_markup(layer.name);
    table.rows.push_back({{{escape(facts.target)},
                           whole(coverage.pairs),
                           {std::to_string(coverage.int8_layers) + " of " + std::to_string(coverage.layers),
                            static_cast<double>(coverage.int8_layers)},
                           {coverage.macs > 0 ? fixed_text(rounded_percent(share, 1), 1) : "\u2013", share},
                           whole(static_cast<int64_t>(count_float_layers(facts))),
                           {names.empty() ? "nothing" : names}}});
  }
  return "<h3>What runs in " + type + ", and what stays float</h3>" +
         scrolling(table, "targets-table", "Shares by target");
}

}  // namespace

std::string candidates_section(const PrintedComparison& report) {
  if (report.variants.empty()) return {};
  const bool alike = compared_kind(report) == "calibrator";
  const bool sure =
      std::ranges::any_of(report.variants, [](const Variant& one) { return one.score_error.has_value(); });
  const std::string lead =
      std::string(!alike ? "Each was calibrated and run on the same samples."
                         : "Each was calibrated on the same histograms and run on the same samples.") +
      (sure ? " \u00B1 is the standard error over the samples." : "") +
      (report.fp32.contains(report.criterion) ? "<span class=\"chart\"> The dotted line is FP32.</span>" : "") +
      (criterion_extent(report).cut
           ? "<span class=\"chart\"> An arrowhead marks a value far beyond the end of the line.</span>"
           : "");
  return section("candidates", "Candidates", lead,
                 candidates_table(report, metrics_of(report)) + type_sizes_table(report) + target_shares_table(report) +
                     outputs_table(report));
}

}  // namespace detent::html
