#include <algorithm>
#include <cmath>

#include "core/format.h"
#include "report/text/text.h"

namespace detent {

namespace {

std::string joined(const std::vector<std::string>& items, const char* empty) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text.empty() ? empty : text;
}

std::string value_line(const TableReport::Value& value, size_t width) {
  const int padded = static_cast<int>(width);
  if (value.scale) return format("  %-*s  scale %.9g (imported)\n", padded, value.name.c_str(), *value.scale);
  std::string text =
      format("  %-*s  %12llu  %5.1f %%  %12.6g  %12.6g  2^%-4d  %5zu", padded, value.name.c_str(),
             static_cast<unsigned long long>(value.count),
             value.count ? 100.0 * static_cast<double>(value.zeros) / static_cast<double>(value.count) : 0.0, value.min,
             value.max, value.log2_width, value.bins_in_use);
  if (value.nans + value.infinities > 0)
    text += format("  %llu NaN, %llu Inf", static_cast<unsigned long long>(value.nans),
                   static_cast<unsigned long long>(value.infinities));
  return text + "\n";
}

}  // namespace

std::string summary_text(const TableReport& report) {
  std::string text = "model      " + report.model_fingerprint + "\n";
  text += "samples    " + std::to_string(report.samples.size()) + ", shards " +
          joined(report.shards, "none (imported)") + (report.partial ? "; interrupted, --resume goes on" : "") + "\n";
  if (report.skipped_samples) text += "skipped    " + plural(report.skipped_samples, "unreadable sample") + "\n";
  text +=
      "values     " + std::to_string(report.values.size()) + ", for " + joined(report.targets, "every target") + "\n";
  if (!report.equalize.empty())
    text += "equalized  " + report.equalize + ", " + plural(report.equalized_values, "value") + "\n";
  if (report.absorb_bias) text += "absorbed   biases, " + plural(report.shifted_values, "value") + "\n";
  text +=
      "made by    " + joined(report.tools, "?") + " on " + joined(report.instruction_sets, "no CPU (imported)") + "\n";
  if (report.seconds) {
    text += format("took       %.1f s", *report.seconds);
    if (*report.seconds > 0) text += format(" (%.0f/s)", static_cast<double>(report.samples.size()) / *report.seconds);
    text += "\n";
  }
  return text + "wrote " + report.table + " (" + bytes_text(static_cast<double>(report.bytes)) + ")\n";
}

std::string to_text(const TableReport& report) {
  std::string text = summary_text(report);
  text.resize(text.rfind("wrote "));  // nothing was
  text = report.table + "  calibration table, " + bytes_text(static_cast<double>(report.bytes)) + "\n" + text;
  size_t width = 5;
  for (const auto& value : report.values) width = std::max(width, std::min<size_t>(48, value.name.size()));
  text += format("\n  %-*s  %12s  %7s  %12s  %12s  %-6s  %5s\n", static_cast<int>(width), "value", "count", "zeros",
                 "min", "max", "width", "bins");
  for (const auto& value : report.values) text += value_line(value, width);
  return text;
}

std::string to_text(const DistributionReport& report) {
  const auto& value = report.value;
  std::string text = value.name + "\n" +
                     format("  %llu elements, %llu zeros, min %.9g, max %.9g, bins 2^%d wide\n",
                            static_cast<unsigned long long>(value.count), static_cast<unsigned long long>(value.zeros),
                            value.min, value.max, value.log2_width);
  if (value.nans + value.infinities > 0)
    text += format("  %llu NaN and %llu Inf left out\n", static_cast<unsigned long long>(value.nans),
                   static_cast<unsigned long long>(value.infinities));
  if (report.rows.empty()) return text + "  nothing but zeros\n";
  constexpr double kWidth = 40;
  uint64_t largest = 1;
  for (const auto& row : report.rows) largest = std::max(largest, row.count);
  text += "\n  zeros left out; bars are logarithmic\n";
  for (const auto& row : report.rows) {
    const double part = std::log1p(static_cast<double>(row.count)) / std::log1p(static_cast<double>(largest));
    const auto marks = static_cast<size_t>(std::lround(kWidth * part));
    text += format("  %12.6g .. %12.6g  %12llu  ", row.low, row.high, static_cast<unsigned long long>(row.count)) +
            std::string(marks, '#') + "\n";
  }
  return text;
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
