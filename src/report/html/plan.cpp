#include "report/html/markup.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

std::string plan_verdict(const PlanReport& plan) {
  if (plan.coverage.pairs == 0) return "Nothing would be quantized.";
  return "<strong>" + plural(static_cast<size_t>(plan.coverage.pairs), "pair") + "</strong> on " +
         plural(plan.quantized_values, "value") + ": " + std::to_string(plan.coverage.int8_layers) + " of " +
         plural(static_cast<size_t>(plan.coverage.layers), "weighted layer") + " would run in INT8.";
}

}  // namespace

std::string summary_section(const PlanReport& plan) {
  std::string figures = coverage_figure(plan.coverage);
  if (plan.shared_scale_groups > 0)
    figures += figure(std::to_string(plan.shared_scale_groups), "groups of shared scales");
  return header_markup(
      {"Placement",
       plan.model,
       {"target " + escape(plan.target), "opset " + std::to_string(plan.opset) + ", " + plural(plan.nodes, "node"),
        plan.folded_batchnorms ? plural(plan.folded_batchnorms, "BatchNormalization") + " folded" : ""},
       plan_verdict(plan),
       {},
       figures});
}

std::string equalizable_section(const PlanReport& plan) {
  if (!plan.equalizable || plan.equalizable->empty()) return {};
  std::string families;
  Table table{{{"Value", Kind::Name}, {"Family", Kind::Words}}};
  for (const auto& family : *plan.equalizable) {
    families += (families.empty() ? "" : ",") + family.family;
    for (const std::string& value : family.values)
      table.rows.push_back({{{name_markup(value)}, {"<td>" + escape(family.family) + "</td>"}}});
  }
  return section("equalizable", "What could be equalized",
                 plural(table.rows.size(), "value") +
                     " whose channels could be evened out before calibration: <code>--equalize " + escape(families) +
                     "</code>.",
                 searchable(table, "equalizable-values", "Search values", " data-shown=\"15\" data-rows=\"values\""));
}

}  // namespace detent::html
