#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// Fewest single characters to insert, remove or replace that turn `a` into `b`. Cost O(|a| |b|).
/// Source  V. Levenshtein, 1966.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b);

/// The `count` names that are most like a mistyped one, nearest first; equally near ones keep their order. A name that
/// contains `wanted`, or is contained in it, is as near as one wrong character.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names,
                                                     size_t count);

}  // namespace detent
