#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace detent {

/// Length of the lists in a text.
enum class Lists {
  Capped,  ///< similar lines become one, with the first names and the number of the others
  All      ///< one line each
};

/// Replaces quoted names, numbers of inputs and "3 of 32 channels" by "...", so that similar sentences become equal:
/// "its input 0 comes from Slice 'a'" -> "its input ... comes from Slice '...'".
[[nodiscard]] std::string pattern_of(std::string_view sentence);

/// Groups items by a key, in the order of their first.
template <class Item>
[[nodiscard]] std::vector<std::vector<const Item*>> grouped(const std::vector<Item>& items, const auto& key_of) {
  std::vector<std::vector<const Item*>> groups;
  std::map<std::string, size_t> group_of;
  for (const Item& item : items) {
    const size_t group = group_of.try_emplace(key_of(item), groups.size()).first->second;
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(&item);
  }
  return groups;
}

/// The lists of one text. It remembers whether something was left out.
class Listing {
 public:
  explicit Listing(Lists lists) : all_(lists == Lists::All) {}

  [[nodiscard]] bool all() const { return all_; }
  /// Groups the indices of equal keys, in the order of the first ones; under Lists::All each index is a group.
  [[nodiscard]] std::vector<std::vector<size_t>> groups(const std::vector<std::string>& keys) const;
  /// Returns "a, b, c and 110 more", with about `usual` names; "" for none. It never leaves out a single name.
  template <class Items = std::vector<std::string>, class Text = std::identity>
  [[nodiscard]] std::string names(const Items& items, const Text& text = {}, size_t usual = 3) {
    return listed(items, shown(items.size(), usual), text);
  }
  /// Returns how many of `count` entries to show where about `usual` are enough.
  [[nodiscard]] size_t shown(size_t count, size_t usual);
  /// Returns the first sentence of each pattern, with "(30 like this)" if there are others.
  [[nodiscard]] std::vector<std::string> sentences(const std::vector<std::string>& sentences);
  /// Returns "--all lists everything\n" if something was left out, else "".
  [[nodiscard]] std::string closing() const;

 private:
  bool all_, cut_ = false;
};

}  // namespace detent
