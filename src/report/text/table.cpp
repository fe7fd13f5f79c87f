#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/build/sections.h"
#include "report/text/text.h"

namespace detent {

namespace {

std::string joined(const std::vector<std::string>& items, const char* empty) {
  return items.empty() ? empty : join(items);
}

/// Returns a column for names of values; very long ones exceed it.
Table::Column name_column(const TableReport& report) {
  size_t width = 5;
  for (const auto& value : report.values) width = std::max(width, std::min<size_t>(48, value.name.size()));
  return {"value", Kind::Name, "", width, width};
}

Table::Row value_row(const TableReport::Value& value) {
  if (value.scale) return {{{value.name}}, "", fmt::format("  scale {:.9g} (imported)", *value.scale)};
  const double zeros = value.count ? static_cast<double>(value.zeros) / static_cast<double>(value.count) : 0;
  Table::Row row{{{value.name},
                  {std::to_string(value.count)},
                  {fmt::format("{:.1f} %", rounded_percent(zeros, 1))},
                  {fmt::format("{:.6g}", value.min)},
                  {fmt::format("{:.6g}", value.max)},
                  {fmt::format("2^{}", value.log2_width)},
                  {std::to_string(value.bins_in_use)}}};
  if (value.nans + value.infinities > 0) row.behind = fmt::format("  {} NaN, {} Inf", value.nans, value.infinities);
  return row;
}

std::string values_text(const TableReport& report) {
  Table table{{name_column(report),
               {"count", Kind::Number, "", 12},
               {"zeros", Kind::Number, "", 7},
               {"min", Kind::Number, "", 12},
               {"max", Kind::Number, "", 12},
               {"width", Kind::Words, "", 6},
               {"bins", Kind::Number, "", 5}}};
  for (const auto& value : report.values) table.rows.push_back(value_row(value));
  return "\n" + to_text(table);
}

/// Prints the largest |x| of single tokens and channels, for the values that have them.
std::string token_text(const TableReport& report) {
  Table table{{name_column(report)}};
  for (const char* head : {"first", "median", "99 %", "others", "channels"})
    table.columns.push_back({head, Kind::Number, "", 10});
  table.columns.push_back({"wide", Kind::Number, "", 14});
  table.columns.push_back({"largest"});
  for (const auto& value : report.values) {
    if (!value.tokens) continue;
    const auto& tokens = *value.tokens;
    auto& cells = table.rows.emplace_back().cells;
    cells = {{value.name}};
    for (const double amax : {tokens.first, tokens.median, tokens.p99, tokens.others, tokens.median_channel})
      cells.push_back({fmt::format("{:.4g}", amax)});
    cells.push_back({fmt::format("{} of {}", tokens.wide_channels, tokens.channels)});
    cells.push_back({std::to_string(tokens.largest_channel)});
  }
  if (table.rows.empty()) return {};
  return "\nlargest |x| of tokens (the first of a sequence; median, 99 % and largest of the others) and of "
         "channels\n(median; number with at least half of the largest, and index of the largest)\n" +
         to_text(table);
}

}  // namespace

std::string summary_text(const TableReport& report) {
  std::string text = "model      " + report.model_fingerprint + "\n";
  text += "samples    " + std::to_string(report.samples.size()) + ", shards " +
          joined(report.shards, "none (imported)") + (report.partial ? "; interrupted, continue with --resume" : "") +
          "\n";
  if (!report.missing_shards.empty()) text += "missing    shards " + joined(report.missing_shards, "") + "\n";
  if (report.skipped_samples) text += "skipped    " + plural(report.skipped_samples, "unreadable sample") + "\n";
  text +=
      "values     " + std::to_string(report.values.size()) + ", for " + joined(report.targets, "every target") + "\n";
  if (report.float_values)
    text += "largest    |x| of " + plural(report.float_values, "float value") + ", for --float-type fp16 and bf16\n";
  if (!report.equalize.empty())
    text += "equalized  " + report.equalize + ", " + plural(report.equalized_values, "value") + "\n";
  text +=
      "made by    " + joined(report.tools, "?") + " on " + joined(report.instruction_sets, "no CPU (imported)") + "\n";
  if (report.seconds) {
    text += fmt::format("took       {:.1f} s", *report.seconds);
    if (*report.seconds > 0 && report.measured > 0)
      text += fmt::format(" ({:.0f}/s)", static_cast<double>(report.measured) / *report.seconds);
    if (const size_t before = report.samples.size() - report.measured; before > 0)
      text += fmt::format("; {} measured before", plural(before, "sample"));
    text += "\n";
  }
  Listing listing(Lists::Capped);
  text += to_text(build::outliers(report.outliers), listing);
  return text + (report.kept ? "kept " : "wrote ") + report.table + " (" + bytes_text(report.bytes) + ")\n";
}

std::string to_text(const TableReport& report) {
  std::string text = summary_text(report);
  text.resize(text.rfind("wrote "));
  text = report.table + "  calibration table, " + bytes_text(report.bytes) + "\n" + text;
  return text + values_text(report) + token_text(report);
}

std::string to_text(const DistributionReport& report) {
  const auto& value = report.value;
  std::string text = value.name + "\n" +
                     fmt::format("  {} elements, {} zeros, min {:.9g}, max {:.9g}, bins 2^{} wide\n", value.count,
                                 value.zeros, value.min, value.max, value.log2_width);
  if (value.nans + value.infinities > 0)
    text += fmt::format("  {} NaN and {} Inf left out\n", value.nans, value.infinities);
  if (report.rows.empty()) return text + "  only zeros\n";
  constexpr double kWidth = 40;
  uint64_t largest = 1;
  for (const auto& row : report.rows) largest = std::max(largest, row.count);
  text += "\n  zeros left out; bars are logarithmic\n";
  for (const auto& row : report.rows) {
    const double part = std::log1p(static_cast<double>(row.count)) / std::log1p(static_cast<double>(largest));
    const auto marks = static_cast<size_t>(std::lround(kWidth * part));
    text +=
        fmt::format("  {:>12.6g} .. {:>12.6g}  {:12}  ", row.low, row.high, row.count) + std::string(marks, '#') + "\n";
  }
  return text;
}

std::string to_text(const CacheExportReport& report) {
  return "wrote " + report.output + " (" + std::to_string(report.scales) + " scales)\n" +
         (report.arguments.empty() ? "" : "wrote " + report.arguments + " (trtexec's arguments)\n");
}

std::string to_text(const CacheImportReport& report) {
  std::string text = report.cache + "  " + report.version_line + "\n";
  text += "imported " + plural(report.imported, "scale") + "\n";
  const auto list = [&](const std::vector<std::string>& names, const std::string& what) {
    if (names.empty()) return;
    text += std::to_string(names.size()) + " " + what + "\n";
    for (const std::string& name : names) text += "  " + name + "\n";
  };
  list(report.unknown, "of the cache match no value of the model:");
  list(report.without_scale, "have scale 0 in the cache and were left out:");
  list(report.missing, "to be quantized for " + report.target + " have no scale in the cache:");
  if (report.missing.empty()) text += "every value to be quantized for " + report.target + " has a scale\n";
  return text + "wrote " + report.output + "\n";
}

}  // namespace detent
