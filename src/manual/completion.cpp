#include "manual/forms.h"

#include <algorithm>

namespace detent::manual {

std::string words_below(const CommandPage& page) {
  const size_t blank = page.name.find(' ');
  return blank == std::string::npos ? "" : page.name.substr(blank + 1);
}

std::string function_name(const CommandPage& page) {
  std::string name = "_" + page.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string short_text(const std::string& text) {
  constexpr size_t kMost = 90;
  std::string line = text.substr(0, std::min({text.find('\n'), text.find(". "), text.find("; "), text.find(": ")}));
  if (line.size() > kMost) line = line.substr(0, line.rfind(' ', kMost)) + " ...";
  return line;
}

}  // namespace detent::manual
