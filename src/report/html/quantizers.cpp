#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {

std::string quantizers_section(const PlanReport& plan) {
  if (!plan.outlook) return {};
  Table table{{{"Node", Kind::Name}, {"Shortcut", Kind::Tag, "The reason is an Add whose shortcut has no pair"}}};
  for (const StandaloneQuantizer& quantizer : plan.quantizers)
    table.rows.push_back(
        {{{name_markup(quantizer.node) + why("", quantizer.reason)},
          {quantizer.shortcut ? tag("shortcut", "doubtful") : "\u2013", quantizer.shortcut ? 1.0 : 0.0}}});
  return section(
      "quantizers", "Speed and quantizers alone",
      escape(plan.outlook->text) +
          ". This follows from counts and from engines of TensorRT 8.4 and 8.5; only a measurement is certain.",
      table.rows.empty() ? "" : searchable(table, "quantizer-table", "Search quantizers"));
}

}  // namespace detent::html
