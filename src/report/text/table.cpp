#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/quantities.h"
#include "report/text/columns.h"
#include "report/text/text.h"

namespace detent {

namespace {

std::string joined(const std::vector<std::string>& items, const char* empty) {
  return items.empty() ? empty : join(items);
}

std::string value_line(const TableReport::Value& value, size_t width) {
  const std::string name = padded(value.name, width);
  if (value.scale) return fmt::format("  {}  scale {:.9g} (imported)\n", name, *value.scale);
  std::string text = fmt::format(
      "  {}  {:12}  {:>5.1f} %  {:>12.6g}  {:>12.6g}  2^{:<4}  {:5}", name, value.count,
      value.count ? rounded_percent(static_cast<double>(value.zeros) / static_cast<double>(value.count), 1) : 0.0,
      value.min, value.max, value.log2_width, value.bins_in_use);
  if (value.nans + value.infinities > 0) text += fmt::format("  {} NaN, {} Inf", value.nans, value.infinities);
  return text + "\n";
}

/// What single tokens and channels reach, of the values that have them.
std::string token_text(const TableReport& report, size_t width) {
  std::string lines;
  for (const auto& value : report.values)
    if (const auto& tokens = value.tokens)
      lines += fmt::format("  {}  {:>10.4g}  {:>10.4g}  {:>10.4g}  {:>10.4g}  {:>10.4g}  {:>14}  {:>7}\n",
                           padded(value.name, width), tokens->first, tokens->median, tokens->p99, tokens->others,
                           tokens->median_channel, fmt::format("{} of {}", tokens->wide_channels, tokens->channels),
                           tokens->largest_channel);
  if (lines.empty()) return {};
  return fmt::format(
             "\nlargest |x| of tokens (the first of a sequence; the median, 99 % and all of the others) and of "
             "channels\n"
             "(the median; how many reach half of the largest, and the index of that)\n"
             "  {}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>14}  {:>7}\n",
             padded("value", width), "first", "median", "99 %", "others", "channels", "wide", "largest") +
         lines;
}

}  // namespace

std::string summary_text(const TableReport& report) {
  std::string text = "model      " + report.model_fingerprint + "\n";
  text += "samples    " + std::to_string(report.samples.size()) + ", shards " +
          joined(report.shards, "none (imported)") + (report.partial ? "; interrupted, --resume goes on" : "") + "\n";
  if (!report.missing_shards.empty()) text += "missing    shards " + joined(report.missing_shards, "") + "\n";
  if (report.skipped_samples) text += "skipped    " + plural(report.skipped_samples, "unreadable sample") + "\n";
  text +=
      "values     " + std::to_string(report.values.size()) + ", for " + joined(report.targets, "every target") + "\n";
  if (report.float_values)
    text += "reaches    of " + plural(report.float_values, "float value") + ", for --float-type fp16 and bf16\n";
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
  text += outlier_text(report.outliers, listing);
  return text + (report.kept ? "kept " : "wrote ") + report.table + " (" +
         bytes_text(static_cast<double>(report.bytes)) + ")\n";
}

std::string to_text(const TableReport& report) {
  std::string text = summary_text(report);
  text.resize(text.rfind("wrote "));  // nothing was
  text = report.table + "  calibration table, " + bytes_text(static_cast<double>(report.bytes)) + "\n" + text;
  size_t width = 5;
  for (const auto& value : report.values) width = std::max(width, std::min<size_t>(48, value.name.size()));
  text += fmt::format("\n  {}  {:>12}  {:>7}  {:>12}  {:>12}  {:6}  {:>5}\n", padded("value", width), "count", "zeros",
                      "min", "max", "width", "bins");
  for (const auto& value : report.values) text += value_line(value, width);
  return text + token_text(report, width);
}

std::string to_text(const DistributionReport& report) {
  const auto& value = report.value;
  std::string text = value.name + "\n" +
                     fmt::format("  {} elements, {} zeros, min {:.9g}, max {:.9g}, bins 2^{} wide\n", value.count,
                                 value.zeros, value.min, value.max, value.log2_width);
  if (value.nans + value.infinities > 0)
    text += fmt::format("  {} NaN and {} Inf left out\n", value.nans, value.infinities);
  if (report.rows.empty()) return text + "  nothing but zeros\n";
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
  return "wrote " + report.output + " (" + std::to_string(report.scales) + " scales)\n";
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
