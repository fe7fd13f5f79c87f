#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace detent {

/// Returns the first id that a page refers to (by a link or a search field) but does not have; "" without one.
inline std::string dangling_reference(const std::string& page) {
  for (const std::string_view reference : {" data-search=\"", " href=\"#"}) {
    for (size_t at = page.find(reference); at != std::string::npos; at = page.find(reference, at + 1)) {
      const size_t begin = at + reference.size();
      const std::string id = page.substr(begin, page.find('"', begin) - begin);
      if (page.find(" id=\"" + id + "\"") == std::string::npos) return id;
    }
  }
  return {};
}

}  // namespace detent
