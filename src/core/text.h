#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

namespace detent {

/// Returns the texts of the items with `separator` between them; "" for none.
/// text  makes text of an item
template <class Items, class Text = std::identity>
[[nodiscard]] std::string join(const Items& items, std::string_view separator = ", ", const Text& text = {}) {
  std::string joined;
  bool first = true;
  for (const auto& item : items) {
    if (!first) joined += separator;
    first = false;
    joined += std::invoke(text, item);
  }
  return joined;
}

/// Returns "a, b and 3 more": the first `most` items, and how many follow. "" for none.
template <class Items, class Text = std::identity>
[[nodiscard]] std::string listed(const Items& items, size_t most, const Text& text = {}) {
  const size_t count = std::size(items), shown = std::min(count, most);
  std::string list;
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) list += ", ";
    list += std::invoke(text, items[i]);
  }
  return shown == count ? list : list + " and " + std::to_string(count - shown) + " more";
}

/// Returns "1 sample" or "2 samples"; "1 shard is" or "2 shards are" with `many` given.
[[nodiscard]] inline std::string plural(size_t count, std::string_view one, std::string_view many = {}) {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text += one;
  return many.empty() ? (text += one) += "s" : text += many;
}

/// True when `word` is one of the words, which have blanks between; false for an empty one.
[[nodiscard]] inline bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return !word.empty();
  }
  return false;
}

/// Returns an argument as a POSIX shell reads it back: plain words as they are, others in single quotes.
[[nodiscard]] inline std::string shell_quoted(std::string_view argument) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos) return std::string(argument);
  std::string text = "'";
  for (const char character : argument) text += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return text + "'";
}

}  // namespace detent
