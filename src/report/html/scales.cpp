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
  std::string html =
      "<section id=\"values\"><h2>Values and their ranges</h2><p class=\"lead\">" + plural(values.size(), "value") +
      " with imported scales: how they are distributed is not known.</p><div data-search=\"value-scales\" "
      "data-label=\"Search values\"><table id=\"value-scales\" class=\"wide\"><thead><tr>" +
      text_head("Value") + number_head("Range", "What is kept") + number_head("Scale", "Of one step") +
      number_head("Zero point", "The step that stands for 0", "number minor") + "</tr></thead><tbody>";
  for (const auto& value : values)
    html += "<tr><th scope=\"row\">" + name_markup(value.name) + "</th>" +
            number_cell(std::max(std::abs(value.min), std::abs(value.max)), range_text(value.min, value.max)) +
            number_cell(value.scale, number_text(value.scale)) +
            number_cell(value.zero_point, std::to_string(value.zero_point), "number minor") + "</tr>\n";
  return html + "</tbody></table></div></section>\n";
}

}  // namespace detent::html
