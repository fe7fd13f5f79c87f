#include "report/compared_types.h"
#include "report/html/markup.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

Table::Cell bytes_cell(uint64_t bytes) { return {bytes_text(bytes), static_cast<double>(bytes)}; }

/// Returns the name, sizes, their ratio to the float model's, and the share of each type in the bytes of weights.
std::vector<Table::Cell> cells(const std::string& name, const ComparisonReport& report, uint64_t size,
                               const TypeFacts& facts) {
  std::vector<Table::Cell> row{{name},
                               bytes_cell(size),
                               fixed_cell(ratio_of(size, report.types->model_bytes), 3),
                               bytes_cell(weight_bytes(facts)),
                               fixed_cell(ratio_of(weight_bytes(facts), report.types->weight_bytes), 3)};
  for (const std::string& type : weight_types(report)) {
    const double share = weight_share(facts, type);
    row.push_back(share > 0 ? Table::Cell{fixed_text(rounded_percent(share, 1), 1), share} : Table::Cell{"<td></td>"});
  }
  return row;
}

}  // namespace

std::string type_sizes_table(const ComparisonReport& report) {
  if (!report.types) return {};
  Table table{{{"Type", Kind::Name},
               {"File", Kind::Number, "Size of the file"},
               {"/ FP32", Kind::Number, "Over the float model's file"},
               {"Weights", Kind::Number, "Bytes of all weights in the file, with their scales"},
               {"/ FP32", Kind::Number, "Over the bytes of the float model's weights"}}};
  for (const std::string& type : weight_types(report))
    table.columns.push_back({escape(type) + ", %", Kind::Number, "Share of the bytes of weights that is " + type});
  table.columns.push_back({"How it was made", Kind::Words});
  for (const ComparisonReport::Variant& variant : report.variants) {
    table.rows.push_back({cells(escape(variant.calibrator), report, variant.size_bytes, *variant.type),
                          variant.calibrator == report.types->smallest ? "smallest" : ""});
    table.rows.back().cells.push_back({escape(type_text(variant))});
  }
  const TypeFacts whole{.weight_bytes = {{"float", report.types->weight_bytes}}};
  table.foot.push_back({cells("FP32", report, report.types->model_bytes, whole)});
  table.foot.back().cells.push_back({"<td></td>"});
  return "<h3>Sizes, and shares of the types in the bytes of the weights</h3>" +
         scrolling(table, "sizes-table", "Sizes by type");
}

}  // namespace detent::html
