#include <fmt/core.h>

#include <algorithm>

#include "core/text.h"
#include "report/build/sections.h"
#include "report/compared_types.h"
#include "report/output_errors.h"
#include "report/text/document.h"
#include "report/text/text.h"

namespace detent {

namespace {

using Metrics = std::map<std::string, double>;

/// Returns the metrics that were measured, without details of others.
std::vector<Metric> columns_of(const PrintedComparison& report) {
  std::vector<Metric> columns;
  for (const Metric& metric : kMetrics)
    if (metric.use != MetricUse::Detail && report.variants.front().metrics.contains(metric.name))
      columns.push_back(metric);
  return columns;
}

/// Returns " ±0.85" in the unit of the number before it.
std::string error_text(const std::optional<double>& error, const Metric& criterion) {
  return error ? fmt::format(" ±{:.{}f}", criterion.factor() * *error, criterion.decimals) : std::string();
}

void add_cells(std::vector<Table::Cell>& row, const std::vector<Metric>& columns, const Metrics& metrics,
               const std::string& criterion = {}, const std::optional<double>& error = {}) {
  for (const Metric& column : columns) {
    const auto value = find_metric(metrics, column.name);
    row.push_back({value ? metric_text(column, *value) : "-"});
    if (criterion == column.name) row.back().text += error_text(error, column);
  }
}

std::string ratio_text(uint64_t part, uint64_t whole) { return fmt::format("{:.3f}", ratio_of(part, whole)); }

/// Adds the ratios to the float model and the shares of types in the bytes of weights, where types are compared.
void add_weight_cells(std::vector<Table::Cell>& row, const PrintedComparison& report, uint64_t size,
                      const TypeFacts* facts) {
  if (!report.types) return;
  row.push_back({ratio_text(size, report.types->model_bytes)});
  row.push_back({facts ? bytes_text(weight_bytes(*facts)) : "-"});
  row.push_back({facts ? ratio_text(weight_bytes(*facts), report.types->weight_bytes) : "-"});
  for (const std::string& type : weight_types(*report.types)) {
    const double share = facts ? weight_share(*facts, type) : 0;
    row.push_back({share > 0 ? percent_text(share) : "-"});
  }
}

/// Adds the shares in INT8 and the number of float layers, where targets are compared.
void add_target_cells(std::vector<Table::Cell>& row, const PrintedComparison& report, const TargetVariant* facts) {
  if (report.targets.empty()) return;
  const CoverageReport coverage = facts ? facts->plan.coverage : CoverageReport();
  const auto share = [&](int64_t part, int64_t whole) {
    return facts && whole > 0 ? percent_text(static_cast<double>(part) / static_cast<double>(whole)) : "-";
  };
  row.push_back({share(coverage.int8_macs, coverage.macs)});
  row.push_back({share(coverage.int8_layers, coverage.layers)});
  row.push_back({facts ? std::to_string(count_float_layers(*facts)) : "-"});
}

/// Returns the row of the float model.
Table::Row float_row(const PrintedComparison& report, const std::vector<Metric>& columns) {
  Table::Row row{{{"FP32"}}};
  add_cells(row.cells, columns, report.fp32);
  row.cells.push_back({report.types ? bytes_text(report.types->model_bytes) : "-"});
  const TypeFacts whole{.weight_bytes = {{"float", report.types ? report.types->weight_bytes : 0}}};
  if (report.types) add_weight_cells(row.cells, report, report.types->model_bytes, &whole);
  add_target_cells(row.cells, report, nullptr);
  row.cells.push_back({"-"});
  return row;
}

std::string table_of(const PrintedComparison& report) {
  const std::vector<Metric> columns = columns_of(report);
  const std::string codes(name_of(report.plan.coverage.type));
  Table table{{{compared_kind(report), Kind::Name}}};
  for (const Metric& column : columns) table.columns.push_back({column.title});
  table.columns.push_back({"size"});
  if (report.types) {
    for (const char* head : {"/FP32", "weights", "/FP32"}) table.columns.push_back({head});
    for (const std::string& type : weight_types(*report.types)) table.columns.push_back({type});
  }
  if (!report.targets.empty())
    for (const std::string& head : {codes + " MACs", codes + " layers", std::string("float")})
      table.columns.push_back({head});
  table.columns.push_back({"seconds"});
  const auto add_row = [&](const std::string& name, const auto& variant, bool best) {
    Table::Row& row = table.rows.emplace_back(Table::Row{{{name}}, best ? "best" : ""});
    add_cells(row.cells, columns, variant.metrics, report.criterion, variant.score_error);
    row.cells.push_back({bytes_text(variant.size_bytes)});
    add_weight_cells(row.cells, report, variant.size_bytes, variant.type ? &variant.type->facts : nullptr);
    add_target_cells(row.cells, report, variant.target);
    row.cells.push_back({fmt::format("{:.1f}", variant.seconds)});
  };
  if (!report.fp32.empty() || report.types) table.rows.push_back(float_row(report, columns));
  for (const auto& variant : report.baselines)
    add_row(variant.name + " without pairs", PrintedComparison::Variant{variant}, false);
  for (const auto& variant : report.variants)
    add_row(variant.name + (adds_calibrator(variant) ? " (" + variant.takes + ")" : ""), variant,
            variant.name == report.winner);
  return to_text(table);
}

std::string cell_of(const ErrorReport::Output& output) {
  if (is_exact(output)) return "exact";
  if (output.kind == OutputKind::Integers)
    return metric_text(metrics::kIntegerAgreement, output.agreement.value_or(0)) + " equal";
  return output.sqnr_db ? metric_text(metrics::kSqnr, *output.sqnr_db) : "0 in FP32";
}

/// Prints the SQNR (of integers the share of equal elements) of each output; "" for a single one.
std::string outputs_of(const PrintedComparison& report, Listing& listing) {
  constexpr size_t kShown = 12;
  const auto* winner = winning_variant(report);
  if (!winner || winner->outputs.size() < 2) return {};
  const std::vector<ErrorReport::Output> outputs = worst_first(winner->outputs);
  Table table{{{"output, SQNR", Kind::Name}}};
  for (const auto& variant : report.variants) table.columns.push_back({variant.name});
  const size_t shown = listing.shown(outputs.size(), kShown);
  for (size_t i = 0; i < shown; ++i) {
    Table::Row& row = table.rows.emplace_back(Table::Row{{{outputs[i].name}}});
    for (const auto& variant : report.variants) {
      const auto output = std::ranges::find(variant.outputs, outputs[i].name, &ErrorReport::Output::name);
      row.cells.push_back({output == variant.outputs.end() ? "-" : cell_of(*output)});
    }
  }
  return "\n" + to_text(table) + more_outputs_text(outputs.size() - shown);
}

/// Prints the winner's metrics that are no column of the table: "mAP by size: small 41.20 % (FP32 43.00 %), medium
/// ...".
std::string details_of(const PrintedComparison& report) {
  const auto* winner = winning_variant(report);
  std::vector<std::string> details;
  for (const Metric& metric : kMetrics) {
    const auto value = find_metric(winner ? winner->metrics : Metrics(), metric.name);
    if (metric.use != MetricUse::Detail || !value) continue;
    const auto fp32 = find_metric(report.fp32, metric.name);
    details.push_back(fmt::format("{} {}{}", metric.title, metric_text(metric, *value),
                                  fp32 ? " (FP32 " + metric_text(metric, *fp32) + ")" : ""));
  }
  return details.empty() ? "" : "  mAP by size: " + join(details, ", ") + "\n";
}

/// Explains ± and names the ties; "" without another candidate.
std::string certainty_of(const PrintedComparison& report) {
  const auto* winner = winning_variant(report);
  if (!winner || report.variants.size() < 2) return {};
  if (!winner->score_error)
    return report.criterion == metrics::kCommand.name
               ? "  no standard error: the command returns one number for all samples\n"
               : "  no standard error: one sample has none\n";
  return "  " + ties_text(report.ties, report.evaluation_samples) + "; ± is the standard error over the samples\n";
}

/// Prints the pairs and the float layers of each target.
std::string targets_text(const PrintedComparison& report, Listing& listing) {
  std::string text, before;
  for (const auto& variant : report.variants) {
    const TargetVariant& facts = *variant.target;
    if (facts.target == before) continue;  // another calibrator
    before = facts.target;
    text += facts.target + ": " + coverage_text(facts.plan.coverage) + ", " +
            plural(static_cast<size_t>(facts.plan.coverage.pairs), "pair") + " on " +
            plural(facts.plan.quantized_values, "value") + "\n";
    text += to_text(build::placement(facts.plan, build::Listed::FloatLayers), listing);
    if (facts.equalized) text += to_text(build::equalization(facts.equalized), listing);
  }
  return text;
}

/// Returns "3 targets", or "6 variants of 3 targets" with several calibrators.
std::string judged_text(const PrintedComparison& report) {
  const size_t variants = report.variants.size(), targets = report.targets.size();
  if (targets == 0 || targets == variants) return plural(variants, compared_kind(report));
  return plural(variants, "variant") + " of " + plural(targets, "target");
}

/// Prints the quantized share of the model, for each type or target.
std::string made_variants_text(const PrintedComparison& report, Listing& listing) {
  if (!report.targets.empty()) return targets_text(report, listing);
  if (!report.types)
    return "placed " + plural(static_cast<size_t>(report.plan.coverage.pairs), "pair") + " on " +
           plural(report.plan.quantized_values, "value") + "; " + coverage_text(report.plan.coverage) + "\n";
  std::string text;
  for (const auto& variant : report.variants) text += variant.name + ": " + type_text(*variant.type) + "\n";
  return text;
}

}  // namespace

static std::string printed_text(const PrintedComparison& report, Lists lists) {
  Listing listing(lists);
  std::string text = model_line(report.model, report.plan, report.target) + "\n";
  text += "calibrated " + plural(report.calibration_samples, "sample") +
          fmt::format(" in {:.1f} s; judged ", report.calibration_seconds) + judged_text(report) + " on " +
          plural(report.evaluation_samples, "sample") + (report.evaluation_spread ? ", evenly over --eval," : "") +
          fmt::format(" in {:.1f} s\n", report.evaluation_seconds);
  if (!report.labels.empty()) text += "labels: " + report.labels + "\n";
  text += skipped_text(report.skipped_samples) + to_text(build::outliers(report.outliers), listing);
  if (report.equalized) text += to_text(build::equalization(report.equalized), listing);
  text += made_variants_text(report, listing) + "\n" + table_of(report) + outputs_of(report, listing);
  text += std::string("\n* best by ") + metric_named(report.criterion).title + ": " +
          (compared_kind(report) == "calibrator" ? "--calibrator " : "") + report.winner + "\n" + details_of(report) +
          certainty_of(report) + listing.closing();
  const std::string limit = report.types ? limit_text(*report.types) : std::string();
  return limit.empty() ? text : text + limit + "\n";
}

std::string to_text(const CompareCalibratorsReport& report, Lists lists) { return printed_text(report, lists); }

std::string to_text(const CompareTargetsReport& report, Lists lists) { return printed_text(report, lists); }

std::string to_text(const CompareTypesReport& report, Lists lists) { return printed_text(report, lists); }

}  // namespace detent
