#pragma once

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace detent {

/// Text that breaks a page that does not escape it.
inline const std::string kHostile = "</script><script>alert('1')</script>\"&";

/// Returns the first fault in the nesting of tags; "" without one.
inline std::string nesting_fault(const std::string& html) {
  const std::set<std::string> never_closed = {"meta", "link", "br", "wbr"};
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z][a-z0-9]*)(?:\\s[a-zA-Z0-9-]+(?:=\"[^\"<>]*\")?)*\\s*(/?)>");
  std::string body = std::regex_replace(html, std::regex("<style>[^<]*</style>"), "");
  body.erase(body.rfind("<script>"));  // the script is the last element and may hold "<"
  size_t seen = 0;
  for (std::sregex_iterator it(body.begin(), body.end(), tag), end; it != end; ++it, ++seen) {
    const std::string name = (*it)[2];
    if ((*it)[3].length() || never_closed.count(name)) continue;
    if (!(*it)[1].length()) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + "> closes " + (open.empty() ? "nothing" : "<" + open.back() + ">");
    } else {
      open.pop_back();
    }
  }
  const auto brackets = static_cast<size_t>(std::count(body.begin(), body.end(), '<'));
  if (brackets != seen + 1) return "a '<' that is no tag";  // one is <!doctype html>
  return open == std::vector<std::string>{"html", "body"} ? "" : "<" + open.back() + "> stays open";
}

}  // namespace detent
