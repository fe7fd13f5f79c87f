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

/// The name that a mistyped one most likely stands for: of those within one slip in three characters (at least one) the
/// nearest, where a slip is a character inserted, removed or replaced or two neighbours swapped; else the only one that
/// it begins, with three characters or more. Capitals, and dashes in front, do not count. "" when there is none. Source
/// optimal string alignment: F. Damerau, 1964.
[[nodiscard]] std::string likely_name(std::string_view wanted, std::span<const std::string> names);
/// "did you mean 'entropy'?", or `otherwise` when no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view wanted, std::span<const std::string> names,
                                       const std::string& otherwise = {});

}  // namespace detent
