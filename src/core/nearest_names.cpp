#include "core/nearest_names.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace detent {

namespace {

/// Returns the name in lower case without leading dashes.
std::string plain(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

enum class Swaps : uint8_t { CountOnce, NotAllowed };

/// Returns the fewest elements to insert, remove or replace, or neighbours to swap if allowed.
template <class Text>
size_t steps_between(Text a, Text b, Swaps swaps) {
  std::vector<size_t> here(b.size() + 1), above(b.size() + 1), two_above(b.size() + 1);
  for (size_t i = 0; i <= a.size(); ++i) {
    std::swap(two_above, above);
    std::swap(above, here);
    here[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      if (i == 0) {
        here[j] = j;
        continue;
      }
      here[j] = std::min({above[j - 1] + (a[i - 1] != b[j - 1]), above[j] + 1, here[j - 1] + 1});
      if (swaps == Swaps::CountOnce && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        here[j] = std::min(here[j], two_above[j - 2] + 1);
    }
  }
  return here.back();
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) { return steps_between(a, b, Swaps::NotAllowed); }

size_t edit_distance(std::u32string_view a, std::u32string_view b) { return steps_between(a, b, Swaps::NotAllowed); }

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names, size_t count) {
  constexpr size_t kCompared = 256;  // characters of a name; the time is the product of both lengths
  wanted = wanted.substr(0, kCompared);
  std::vector<std::pair<size_t, size_t>> ranked;  // (distance, index)
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = std::string_view(names[i]).substr(0, kCompared);
    const bool part = !wanted.empty() && !name.empty() &&
                      (name.find(wanted) != std::string_view::npos || wanted.find(name) != std::string_view::npos);
    ranked.emplace_back(part ? std::min<size_t>(1, edit_distance(wanted, name)) : edit_distance(wanted, name), i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min(count, ranked.size()); ++i) nearest.push_back(names[ranked[i].second]);
  return nearest;
}

std::string likely_name(std::string_view wanted, std::span<const std::string> names) {
  constexpr size_t kBeginning = 3;
  const std::string typed = plain(wanted);
  size_t least = std::max<size_t>(1, typed.size() / 3) + 1, begun = 0;
  std::string nearest, whole;
  for (const std::string& name : names) {
    const std::string known = plain(name);
    if (typed.size() >= kBeginning && known.starts_with(typed)) ++begun, whole = name;
    if (const size_t distance = steps_between(typed, known, Swaps::CountOnce); distance < std::min(least, known.size()))
      least = distance, nearest = name;
  }
  return nearest.empty() && begun == 1 ? whole : nearest;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> names, const std::string& otherwise) {
  const std::string name = likely_name(wanted, names);
  return name.empty() ? otherwise : "did you mean '" + name + "'?";
}

}  // namespace detent
