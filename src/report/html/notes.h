#pragma once

#include <string>
#include <vector>

namespace detent::html {

/// What else there is to know, in sentences: those of one pattern as their first with their number, and all of them in
/// a list that is folded. "" for none.
///
/// id  of the folded list.
[[nodiscard]] std::string notes_list(const std::vector<std::string>& notes, const std::string& id);

}  // namespace detent::html
