#include <algorithm>
#include <cmath>

#include "report/html/markup.h"
#include "report/html/parts.h"
#include "report/html/sections.h"
#include "report/quantities.h"

namespace detent::html {

std::string scales_section(const std::vector<QuantizeReport::QuantizedValue>& values) {
  if (values.empty()) return {};
  Table table{{{"Value", Kind::Name},
               {"Range", Kind::Number, "Kept values"},
               {"Scale", Kind::Number, "Size of one step"},
               {"Zero point", Kind::Minor, "Code of the value 0"}}};
  for (const auto& value : values)
    table.rows.push_back({{{name_markup(value.name)},
                           {range_text(value.min, value.max), std::max(std::abs(value.min), std::abs(value.max))},
                           {number_text(value.scale), value.scale},
                           {std::to_string(value.zero_point), static_cast<double>(value.zero_point)}}});
  return section("values", "Values and their ranges",
                 plural(values.size(), "value") + " with imported scales, whose distribution is unknown.",
                 searchable(table, "value-scales", "Search values"));
}

}  // namespace detent::html
