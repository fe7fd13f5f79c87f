#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "report/quantities.h"
#include "report/text/columns.h"
#include "report/text/text.h"

namespace detent {

namespace {

using Metrics = std::map<std::string, double>;

struct Column {
  const char* key;
  const char* title;
  std::string (*show)(double);
};

std::string as_percent(double fraction) { return fmt::format("{:.2f} %", rounded_percent(fraction, 2)); }
std::string as_number(double value) { return fmt::format("{:.6g}", value); }
std::string as_decibels(double value) { return std::isfinite(value) ? fmt::format("{:.2f} dB", value) : "infinite"; }
std::string as_cosine(double value) { return fmt::format("{:.5f}", value); }

constexpr std::array<Column, 8> kColumns = {{{"metric", "metric", as_number},
                                             {"miou", "mIoU", as_percent},
                                             {"top1", "top-1", as_percent},
                                             {"top5", "top-5", as_percent},
                                             {"sqnr_db", "SQNR", as_decibels},
                                             {"cosine", "cosine", as_cosine},
                                             {"argmax_agreement", "argmax", as_percent},
                                             {"sign_agreement", "sign", as_percent}}};

using Table = std::vector<std::vector<std::string>>;

/// Columns as wide as their longest cell; the first flush left, the others right.
std::string aligned(const Table& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line = padded(row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i) line += "  " + std::string(widths[i] - row[i].size(), ' ') + row[i];
    text += line + "\n";
  }
  return text;
}

/// The metrics that there are, in the order of kColumns.
std::vector<Column> columns_of(const ComparisonReport& report) {
  std::vector<Column> columns;
  for (const Column& column : kColumns)
    if (report.variants.front().metrics.contains(column.key)) columns.push_back(column);
  return columns;
}

void add_cells(std::vector<std::string>& row, const std::vector<Column>& columns, const Metrics& metrics) {
  for (const Column& column : columns) {
    const auto found = metrics.find(column.key);
    row.push_back(found == metrics.end() ? "-" : column.show(found->second));
  }
}

std::string table_of(const ComparisonReport& report) {
  const std::vector<Column> columns = columns_of(report);
  Table rows(1, {"  calibrator"});
  for (const Column& column : columns) rows[0].emplace_back(column.title);
  rows[0].insert(rows[0].end(), {"size", "seconds"});
  if (!report.fp32.empty()) {
    rows.push_back({"  FP32"});
    add_cells(rows.back(), columns, report.fp32);
    rows.back().insert(rows.back().end(), {"-", "-"});
  }
  for (const auto& variant : report.variants) {
    std::string name = variant.calibrator == report.winner ? "* " : "  ";
    name += variant.calibrator + (variant.takes.empty() ? "" : " (" + variant.takes + ")");
    rows.push_back({name});
    add_cells(rows.back(), columns, variant.metrics);
    rows.back().push_back(bytes_text(static_cast<double>(variant.size_bytes)));
    rows.back().push_back(fmt::format("{:.1f}", variant.seconds));
  }
  return aligned(rows);
}

/// SQNR and cosine by output; nothing to say of a single one.
std::string outputs_of(const ComparisonReport& report, Listing& listing) {
  constexpr size_t kColumnsShown = 6;
  const auto& outputs = report.variants.front().outputs;
  if (outputs.size() < 2) return {};
  const size_t shown = listing.shown(outputs.size(), kColumnsShown);
  Table rows(1, {"  SQNR, cosine"});
  for (size_t i = 0; i < shown; ++i) rows[0].push_back(outputs[i].name);
  for (const auto& variant : report.variants) {
    rows.push_back({"  " + variant.calibrator});
    for (size_t i = 0; i < shown; ++i)
      rows.back().push_back(as_decibels(variant.outputs[i].sqnr_db) + ", " + as_cosine(variant.outputs[i].cosine));
  }
  return "\n" + aligned(rows) +
         (shown < outputs.size() ? "  and " + plural(outputs.size() - shown, "output") + " more\n" : "");
}

std::string title_of(const std::string& criterion) {
  for (const Column& column : kColumns)
    if (criterion == column.key) return column.title;
  return criterion;
}

}  // namespace

std::string to_text(const ComparisonReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = std::filesystem::path(report.model).filename().string() + "  opset " +
                     std::to_string(report.plan.opset) + ", " + plural(report.plan.nodes, "node") + "     target " +
                     report.target + "\n";
  text += "calibrated " + plural(report.calibration_samples, "sample") +
          fmt::format(" in {:.1f} s; judged ", report.calibration_seconds) +
          plural(report.variants.size(), "calibrator") + " on " + plural(report.evaluation_samples, "sample") +
          fmt::format(" in {:.1f} s\n", report.evaluation_seconds);
  if (report.skipped_samples) text += "skipped " + plural(report.skipped_samples, "unreadable sample") + "\n";
  text += outlier_text(report.outliers, listing);
  if (report.equalized) text += equalize_text(*report.equalized, listing);
  text += "placed " + plural(static_cast<size_t>(report.plan.coverage.pairs), "pair") + " on " +
          plural(report.plan.quantized_values, "value") + "; " + coverage_text(report.plan.coverage) + "\n\n";
  text += table_of(report) + outputs_of(report, listing);
  return text + "\n* best by " + title_of(report.criterion) + ": --calibrator " + report.winner + "\n" +
         listing.closing();
}

}  // namespace detent
