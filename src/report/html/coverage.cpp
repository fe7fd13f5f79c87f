#include <array>
#include <functional>

#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

struct Share {
  const char* label;
  int64_t part, whole;
  std::function<std::string(double)> text;
};

std::string bar(const Share& share) {
  const double fraction = static_cast<double>(share.part) / static_cast<double>(share.whole);
  const std::string percent = percent_text(fraction), width = percentage(fraction);
  const std::string parts =
      share.text(static_cast<double>(share.part)) + " of " + share.text(static_cast<double>(share.whole));
  return "<li><span class=\"what\">" + std::string(share.label) +
         "</span><svg class=\"share\" height=\"14\" role=\"img\" aria-label=\"" + percent + " of " + share.label +
         " in INT8\"><title>" + parts +
         "</title><rect class=\"whole\" width=\"100%\" height=\"14\" rx=\"3\"/><rect class=\"part\" width=\"" + width +
         "\" height=\"14\" rx=\"3\"/></svg><span class=\"percent\">" + percent + "</span><span class=\"of\">" + parts +
         "</span></li>";
}

/// A row of shares, INT8 first; "" where there is nothing to share.
std::string type_row(const char* label, const std::array<int64_t, 3>& parts, std::string (*text)(double)) {
  const auto whole = static_cast<double>(parts[0] + parts[1] + parts[2]);
  if (whole == 0) return {};
  std::string row = "<tr><th scope=\"row\">" + std::string(label) + "</th>";
  for (const int64_t part : parts)
    row += "<td class=\"number\" title=\"" + text(static_cast<double>(part)) + "\">" +
           percent_text(static_cast<double>(part) / whole) + "</td>";
  return row + "</tr>\n";
}

/// What is INT8, what half and what FP32, where some of it is half.
std::string types_table(const CoverageReport& coverage) {
  const TypeShares& types = coverage.types;
  if (!types.has_half()) return {};
  return "<table id=\"type-shares\"><thead><tr><th scope=\"col\">Share of</th><th scope=\"col\" "
         "class=\"number\">INT8</th><th scope=\"col\" class=\"number\" title=\"FP16 or BF16\">half</th><th "
         "scope=\"col\" class=\"number\">FP32</th></tr></thead><tbody>" +
         type_row("MACs", {types.int8.macs, types.half.macs, types.float32.macs}, count_text) +
         type_row("activation bytes, in the types that the file has",
                  {types.int8.activation_bytes, types.half.activation_bytes, types.float32.activation_bytes},
                  bytes_text) +
         "</tbody></table>";
}

}  // namespace

std::string coverage_section(const CoverageReport& coverage) {
  const auto plain = [](double count) { return grouped_text(static_cast<uint64_t>(count)); };
  const auto short_count = [](double count) { return count_text(count); };
  const auto bytes = [](double count) { return bytes_text(count); };
  std::string bars;
  for (const Share& share :
       {Share{"weighted layers", coverage.int8_layers, coverage.layers, plain},
        Share{"MACs", coverage.int8_macs, coverage.macs, short_count},
        Share{"parameters", coverage.int8_params, coverage.params, short_count},
        Share{"activation bytes", coverage.int8_activation_bytes, coverage.activation_bytes, bytes}})
    if (share.whole > 0) bars += bar(share);
  if (bars.empty()) return {};
  return "<section id=\"coverage\"><h2>Coverage</h2><p class=\"lead\">What runs in INT8; the rest stays float. "
         "Activation bytes are counted as they are in FP32.</p><ul class=\"shares\">" +
         bars + "</ul>" + types_table(coverage) + "</section>\n";
}

}  // namespace detent::html
