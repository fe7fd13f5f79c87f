#include <algorithm>
#include <cmath>

#include "report/html/cells.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {

std::string scales_section(const std::vector<QuantizeReport::QuantizedValue>& values) {
  if (values.empty()) return {};
  Table table{{{"Value", Kind::Name},
               {"Range", Kind::Number, "What is kept"},
               {"Scale", Kind::Number, "Of one step"},
               {"Zero point", Kind::Minor, "The step that stands for 0"}}};
  for (const auto& value : values)
    table.rows.push_back({{{name_markup(value.name)},
                           {range_text(value.min, value.max), std::max(std::abs(value.min), std::abs(value.max))},
                           {number_text(value.scale), value.scale},
                           {std::to_string(value.zero_point), static_cast<double>(value.zero_point)}}});
  return "<section id=\"values\"><h2>Values and their ranges</h2><p class=\"lead\">" + plural(values.size(), "value") +
         " with imported scales: how they are distributed is not known.</p><div data-search=\"value-scales\" "
         "data-label=\"Search values\">" +
         table_markup(table, "id=\"value-scales\" class=\"wide\"") + "</div></section>\n";
}

}  // namespace detent::html
