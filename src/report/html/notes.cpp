#include "report/html/notes.h"

#include "report/html/markup.h"
#include "report/lists.h"

namespace detent::html {
namespace {

std::string items_of(const std::vector<std::string>& sentences) {
  std::string items;
  for (const std::string& sentence : sentences) items += "<li>" + escape(sentence) + "</li>";
  return "<ul class=\"notes\">" + items + "</ul>";
}

}  // namespace

std::string notes_list(const std::vector<std::string>& notes, const std::string& id) {
  if (notes.empty()) return {};
  const std::vector<std::string> kinds = Listing(Lists::Capped).sentences(notes);
  std::string html = items_of(kinds);
  if (kinds.size() < notes.size())
    html += "<details id=\"" + id + "\" class=\"close\"><summary>Every note: " + std::to_string(notes.size()) +
            "</summary><div>" + items_of(notes) + "</div></details>";
  return html;
}

}  // namespace detent::html
