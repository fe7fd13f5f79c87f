#include "report/html/cells.h"

#include "report/html/markup.h"
#include "report/html/numbers.h"

namespace detent::html {

std::string number_cell(double key, const std::string& text, std::string_view classes) {
  return "<td class=\"" + std::string(classes) + "\" data-key=\"" + key_text(key) + "\">" + text + "</td>";
}

std::string text_head(std::string_view label, std::string_view classes) {
  return "<th scope=\"col\"" + (classes.empty() ? "" : " class=\"" + std::string(classes) + "\"") +
         " data-sort=\"text\">" + escape(label) + "</th>";
}

std::string number_head(std::string_view label, std::string_view meaning, std::string_view classes) {
  return "<th scope=\"col\" class=\"" + std::string(classes) + "\" data-sort=\"number\" title=\"" + escape(meaning) +
         "\">" + escape(label) + "</th>";
}

std::string scrolling(const std::string& table, std::string_view label) {
  return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + escape(label) + "\">" + table +
         "</div>";
}

}  // namespace detent::html
