#include <algorithm>
#include <optional>

#include "report/compared_types.h"
#include "report/html/cells.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

std::string bytes_cell(uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  return number_cell(number, bytes_text(number));
}

std::string ratio_cell(uint64_t part, uint64_t whole) {
  const double ratio = static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1));
  return number_cell(ratio, fixed_text(ratio, 3));
}

/// Sizes, their ratio to the float model's, and the share of each type in the bytes of weights.
std::string cells(const ComparisonReport& report, uint64_t size, const TypeFacts& facts) {
  std::string html = bytes_cell(size) + ratio_cell(size, report.types->model_bytes) + bytes_cell(weight_bytes(facts)) +
                     ratio_cell(weight_bytes(facts), report.types->weight_bytes);
  for (const std::string& type : weight_types(report)) {
    const double share = weight_share(facts, type);
    html += share > 0 ? number_cell(share, fixed_text(rounded_percent(share, 1), 1)) : "<td></td>";
  }
  return html;
}

}  // namespace

std::string type_sizes_table(const ComparisonReport& report) {
  if (!report.types) return {};
  std::string table = "<table id=\"sizes-table\"><thead><tr>" + text_head("Type") +
                      number_head("File", "Size of the file") + number_head("/ FP32", "Of the float model's file") +
                      number_head("Weights", "Bytes of all weights in the file, with their scales") +
                      number_head("/ FP32", "Of the bytes of the float model's weights");
  for (const std::string& type : weight_types(report))
    table += number_head(type + ", %", "Share of the bytes of weights that is " + type);
  table += text_head("How it was made") + "</tr></thead><tbody>";
  for (const ComparisonReport::Variant& variant : report.variants)
    table += std::string("<tr") + (variant.calibrator == report.types->smallest ? " class=\"best\"" : "") +
             "><th scope=\"row\">" + escape(variant.calibrator) +
             (variant.calibrator == report.types->smallest ? " <span class=\"badge\">smallest</span>" : "") + "</th>" +
             cells(report, variant.size_bytes, *variant.type) + "<td class=\"words\">" + escape(type_text(variant)) +
             "</td></tr>\n";
  const TypeFacts whole{.weight_bytes = {{"float", report.types->weight_bytes}}};
  table += "</tbody><tfoot><tr><th scope=\"row\">FP32</th>" + cells(report, report.types->model_bytes, whole) +
           "<td></td></tr></tfoot></table>";
  return "<h3>Sizes, and which share of the bytes of weights has which type</h3>" + scrolling(table, "Sizes by type");
}

}  // namespace detent::html
