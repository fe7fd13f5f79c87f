#include <array>

#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

struct Share {
  const char* label;
  int64_t part, whole;
  std::string (*text)(double);
};

std::string bar(const Share& share) {
  const auto part = static_cast<double>(share.part), whole = static_cast<double>(share.whole);
  const std::string percent = percent_text(part / whole), parts = share.text(part) + " of " + share.text(whole);
  return "<span class=\"what\">" + std::string(share.label) +
         "</span><svg class=\"share\" height=\"14\" role=\"img\" aria-label=\"" + percent + " of " + share.label +
         " in INT8\"><title>" + parts +
         "</title><rect class=\"whole\" width=\"100%\" height=\"14\" rx=\"3\"/><rect class=\"part\" width=\"" +
         percentage(part / whole) + "\" height=\"14\" rx=\"3\"/></svg><span class=\"percent\">" + percent +
         "</span><span class=\"of\">" + parts + "</span>";
}

/// Prints a row of shares, INT8 first; "" where all are 0.
std::string type_row(const char* label, const std::array<int64_t, 3>& parts, std::string (*text)(double)) {
  const int64_t whole = parts[0] + parts[1] + parts[2];
  if (whole == 0) return {};
  std::string row = "<tr><th scope=\"row\">" + std::string(label) + "</th>";
  for (const int64_t part : parts)
    row +=
        "<td class=\"number\" title=\"" + text(static_cast<double>(part)) + "\">" + share_text(part, whole) + "</td>";
  return row + "</tr>\n";
}

/// Prints the shares of INT8, half and FP32; "" where nothing is half.
std::string types_table(const CoverageReport& coverage) {
  const TypeShares& types = coverage.types;
  if (!types.has_half()) return {};
  return "<table id=\"type-shares\"><thead><tr><th scope=\"col\">Share of</th><th scope=\"col\" "
         "class=\"number\">INT8</th><th scope=\"col\" class=\"number\" title=\"FP16 or BF16\">half</th><th "
         "scope=\"col\" class=\"number\">FP32</th></tr></thead><tbody>" +
         type_row("MACs", {types.int8.macs, types.half.macs, types.float32.macs}, count_text) +
         type_row("activation bytes, in the types of the file",
                  {types.int8.activation_bytes, types.half.activation_bytes, types.float32.activation_bytes},
                  bytes_text) +
         "</tbody></table>";
}

}  // namespace

std::string coverage_section(const CoverageReport& coverage) {
  const auto plain = [](double count) { return grouped_text(static_cast<uint64_t>(count)); };
  std::vector<std::string> bars;
  for (const Share& share :
       {Share{"weighted layers", coverage.int8_layers, coverage.layers, plain},
        Share{"MACs", coverage.int8_macs, coverage.macs, count_text},
        Share{"parameters", coverage.int8_params, coverage.params, count_text},
        Share{"activation bytes", coverage.int8_activation_bytes, coverage.activation_bytes, bytes_text}})
    if (share.whole > 0) bars.push_back(bar(share));
  if (bars.empty()) return {};
  return section("coverage", "Coverage",
                 "Share that runs in INT8; the rest stays float. Activation bytes count four bytes per element.",
                 list_markup("shares", bars) + types_table(coverage));
}

}  // namespace detent::html
