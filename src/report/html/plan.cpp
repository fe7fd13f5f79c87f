#include "report/html/cells.h"
#include "report/html/figures.h"
#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

std::string plan_verdict(const PlanReport& plan) {
  if (plan.coverage.pairs == 0) return "Nothing of it would be quantized.";
  return "<strong>" + plural(static_cast<size_t>(plan.coverage.pairs), "pair") + "</strong> on " +
         plural(plan.quantized_values, "value") + ": " + std::to_string(plan.coverage.int8_layers) + " of " +
         plural(static_cast<size_t>(plan.coverage.layers), "weighted layer") + " would run in INT8.";
}

}  // namespace

std::string summary_section(const PlanReport& plan) {
  std::string figures = coverage_figure(plan.coverage);
  if (plan.shared_scale_groups > 0)
    figures += figure(std::to_string(plan.shared_scale_groups), "groups of shared scales");
  return "<header id=\"summary\"><p class=\"eyebrow\">Placement</p><h1>" + escaped_file_name(plan.model) +
         "</h1><ul class=\"facts\"><li>target " + escape(plan.target) + "</li><li>opset " + std::to_string(plan.opset) +
         ", " + plural(plan.nodes, "node") + "</li>" +
         (plan.folded_batchnorms ? "<li>" + plural(plan.folded_batchnorms, "BatchNormalization") + " folded</li>"
                                 : "") +
         "</ul><p class=\"verdict\">" + plan_verdict(plan) + "</p>" +
         (figures.empty() ? figures : "<dl class=\"figures\">" + figures + "</dl>") + "</header>\n";
}

std::string equalizable_section(const PlanReport& plan) {
  if (!plan.equalizable || plan.equalizable->empty()) return {};
  size_t values = 0;
  std::string families;
  Table table{{{"Value", Kind::Name}, {"Family", Kind::Words}}};
  for (const auto& family : *plan.equalizable) {
    values += family.values.size();
    families += (families.empty() ? "" : ",") + family.family;
    for (const std::string& value : family.values)
      table.rows.push_back({{{name_markup(value)}, {"<td>" + escape(family.family) + "</td>"}}});
  }
  return "<section id=\"equalizable\"><h2>What could be equalized</h2><p class=\"lead\">" + plural(values, "value") +
         " whose channels could be evened out before calibrating: <code>--equalize " + escape(families) +
         "</code>.</p><div data-search=\"equalizable-values\" data-label=\"Search values\">" +
         table_markup(table, "id=\"equalizable-values\" class=\"wide\" data-shown=\"15\" data-rows=\"values\"") +
         "</div></section>\n";
}

}  // namespace detent::html
