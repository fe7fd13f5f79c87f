#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "report/compared_types.h"
#include "report/output_errors.h"
#include "report/quantities.h"
#include "report/text/columns.h"
#include "report/text/text.h"

namespace detent {

namespace {

using Metrics = std::map<std::string, double>;

using Table = std::vector<std::vector<std::string>>;

/// Characters, of which UTF-8 takes up to four bytes each.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

/// Columns as wide as their longest cell; the first flush left, the others right.
std::string aligned(const Table& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::string text;
  for (const auto& row : rows) {
    std::string line = row[0] + std::string(widths[0] - width_of(row[0]), ' ');
    for (size_t i = 1; i < row.size(); ++i) line += "  " + std::string(widths[i] - width_of(row[i]), ' ') + row[i];
    text += line + "\n";
  }
  return text;
}

/// The metrics that there are.
std::vector<Metric> columns_of(const ComparisonReport& report) {
  std::vector<Metric> columns;
  for (const Metric& metric : kMetrics)
    if (report.variants.front().metrics.contains(metric.name)) columns.push_back(metric);
  return columns;
}

/// " ±0.85" in the unit of the number before it.
std::string error_text(const std::optional<double>& error, const Metric& criterion) {
  return error ? fmt::format(" ±{:.{}f}", criterion.factor() * *error, criterion.decimals) : std::string();
}

void add_cells(std::vector<std::string>& row, const std::vector<Metric>& columns, const Metrics& metrics,
               const std::string& criterion = {}, const std::optional<double>& error = {}) {
  for (const Metric& column : columns) {
    const auto found = metrics.find(column.name);
    row.push_back(found == metrics.end() ? "-" : metric_text(column, found->second));
    if (criterion == column.name) row.back() += error_text(error, column);
  }
}

std::string ratio_text(uint64_t part, uint64_t whole) {
  return fmt::format("{:.3f}", static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1)));
}

/// Where types are compared: the heads of the columns behind the size.
std::vector<std::string> weight_heads(const ComparisonReport& report) {
  if (!report.types) return {};
  std::vector<std::string> heads{"/FP32", "weights", "/FP32"};
  std::ranges::copy(weight_types(report), std::back_inserter(heads));
  return heads;
}

/// And their cells: ratios to the float model, and the share of each type in the bytes of weights. A row without weights has none.
void add_weight_cells(std::vector<std::string>& row, const ComparisonReport& report, uint64_t size,
                      const std::optional<TypeFacts>& facts) {
  if (!report.types) return;
  row.push_back(ratio_text(size, report.types->model_bytes));
  row.push_back(facts ? bytes_text(static_cast<double>(weight_bytes(*facts))) : "-");
  row.push_back(facts ? ratio_text(weight_bytes(*facts), report.types->weight_bytes) : "-");
  for (const std::string& type : weight_types(report)) {
    const double share = facts ? weight_share(*facts, type) : 0;
    row.push_back(share > 0 ? percent_text(share) : "-");
  }
}

/// The float model's row, up to its size.
std::vector<std::string> float_row(const ComparisonReport& report, const std::vector<Metric>& columns) {
  std::vector<std::string> row{"  FP32"};
  add_cells(row, columns, report.fp32);
  row.push_back(report.types ? bytes_text(static_cast<double>(report.types->model_bytes)) : "-");
  if (report.types)
    add_weight_cells(row, report, report.types->model_bytes,
                     TypeFacts{.weight_bytes = {{"float", report.types->weight_bytes}}});
  row.emplace_back("-");
  return row;
}

std::string table_of(const ComparisonReport& report) {
  const std::vector<Metric> columns = columns_of(report);
  Table rows(1, {report.types ? "  type" : "  calibrator"});
  for (const Metric& column : columns) rows[0].emplace_back(column.title);
  rows[0].emplace_back("size");
  std::ranges::copy(weight_heads(report), std::back_inserter(rows[0]));
  rows[0].emplace_back("seconds");
  const auto add_row = [&](const std::string& name, const ComparisonReport::Variant& variant) {
    rows.push_back({name});
    add_cells(rows.back(), columns, variant.metrics, report.criterion, variant.score_error);
    rows.back().push_back(bytes_text(static_cast<double>(variant.size_bytes)));
    add_weight_cells(rows.back(), report, variant.size_bytes, variant.type);
    rows.back().push_back(fmt::format("{:.1f}", variant.seconds));
  };
  if (!report.fp32.empty() || report.types) rows.push_back(float_row(report, columns));
  for (const auto& variant : report.baselines) add_row("  " + variant.calibrator + " without pairs", variant);
  for (const auto& variant : report.variants) {
    std::string name = variant.calibrator == report.winner ? "* " : "  ";
    name += variant.calibrator + (variant.takes.empty() ? "" : " (" + variant.takes + ")");
    add_row(name, variant);
  }
  return aligned(rows);
}

std::string cell_of(const ErrorReport::Output& output) {
  if (is_exact(output)) return "exact";
  if (output.kind == OutputKind::Integers)
    return metric_text(metrics::kIntegerAgreement, output.agreement.value_or(0)) + " equal";
  return output.sqnr_db ? metric_text(metrics::kSqnr, *output.sqnr_db) : "0 in FP32";
}

/// SQNR (of integers the share of equal elements) by output; nothing to say of a single one.
std::string outputs_of(const ComparisonReport& report, Listing& listing) {
  constexpr size_t kShown = 12;
  const auto winner = std::ranges::find(report.variants, report.winner, &ComparisonReport::Variant::calibrator);
  if (winner == report.variants.end() || winner->outputs.size() < 2) return {};
  const std::vector<ErrorReport::Output> outputs = worst_first(winner->outputs);
  Table rows(1, {"  output, SQNR"});
  for (const auto& variant : report.variants) rows[0].push_back(variant.calibrator);
  const size_t shown = listing.shown(outputs.size(), kShown);
  for (size_t i = 0; i < shown; ++i) {
    rows.push_back({"  " + outputs[i].name});
    for (const auto& variant : report.variants) {
      const auto output = std::ranges::find(variant.outputs, outputs[i].name, &ErrorReport::Output::name);
      rows.back().push_back(output == variant.outputs.end() ? "-" : cell_of(*output));
    }
  }
  return "\n" + aligned(rows) +
         (shown < outputs.size() ? "  and " + plural(outputs.size() - shown, "output") + " no worse\n" : "");
}

/// What the marks behind the scores say, and who is as good as the best; "" where there is nothing to compare with.
std::string certainty_of(const ComparisonReport& report) {
  const auto winner = std::ranges::find(report.variants, report.winner, &ComparisonReport::Variant::calibrator);
  if (winner == report.variants.end() || report.variants.size() < 2) return {};
  const std::string samples = plural(report.evaluation_samples, "sample");
  if (!winner->score_error)
    return report.criterion == metrics::kCommand.name
               ? "  the command gives one number for all samples: how sure it is, nobody knows\n"
               : "  " + samples + " cannot tell how sure that is\n";
  return "  " +
         (report.ties.empty() ? samples + " tell it from every other one"
                              : samples + " cannot tell " + listed(report.ties) + " from it") +
         "; ± standard error over the samples\n";
}

/// How much of the model is quantized; of several types each.
std::string made_variants_text(const ComparisonReport& report) {
  if (!report.types)
    return "placed " + plural(static_cast<size_t>(report.plan.coverage.pairs), "pair") + " on " +
           plural(report.plan.quantized_values, "value") + "; " + coverage_text(report.plan.coverage) + "\n";
  std::string text;
  for (const auto& variant : report.variants) text += variant.calibrator + ": " + type_text(variant) + "\n";
  return text;
}

}  // namespace

std::string to_text(const ComparisonReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = std::filesystem::path(report.model).filename().string() + "  opset " +
                     std::to_string(report.plan.opset) + ", " + plural(report.plan.nodes, "node") + "     target " +
                     report.target + "\n";
  text += "calibrated " + plural(report.calibration_samples, "sample") +
          fmt::format(" in {:.1f} s; judged ", report.calibration_seconds) +
          plural(report.variants.size(), report.types ? "type" : "calibrator") + " on " +
          plural(report.evaluation_samples, "sample") + (report.evaluation_spread ? ", evenly over --eval," : "") +
          fmt::format(" in {:.1f} s\n", report.evaluation_seconds);
  if (report.skipped_samples) text += "skipped " + plural(report.skipped_samples, "unreadable sample") + "\n";
  text += outlier_text(report.outliers, listing);
  if (report.equalized) text += equalize_text(*report.equalized, listing);
  text += made_variants_text(report) + "\n" + table_of(report) + outputs_of(report, listing);
  text += std::string("\n* best by ") + metric_named(report.criterion).title + ": " +
          (report.types ? "" : "--calibrator ") + report.winner + "\n" + certainty_of(report) + listing.closing();
  const std::string limit = report.types ? limit_text(report) : std::string();
  return limit.empty() ? text : text + limit + "\n";
}

}  // namespace detent
