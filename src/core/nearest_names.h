#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// Returns the fewest single characters to insert, remove or replace that turn `a` into `b`. Cost O(|a| |b|).
/// Source  V. Levenshtein, 1966.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b);
/// Returns the same of Unicode characters, or of other things that have numbers, such as words.
[[nodiscard]] size_t edit_distance(std::u32string_view a, std::u32string_view b);

/// Returns the `count` names nearest to a mistyped one, nearest first; equally near names keep their order. A name that
/// contains `wanted`, or is contained in it, is as near as one wrong character.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names,
                                                     size_t count);

/// Returns the name that a mistyped one most likely means: the nearest within one slip per three characters (at least
/// one), where a slip inserts, removes or replaces a character or swaps two neighbours; else the only name that begins
/// with `wanted` of three characters or more. Ignores capitals and leading dashes. "" when there is none.
/// Source  optimal string alignment: F. Damerau, 1964.
[[nodiscard]] std::string likely_name(std::string_view wanted, std::span<const std::string> names);
/// Returns "did you mean 'entropy'?", or `otherwise` when no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view wanted, std::span<const std::string> names,
                                       const std::string& otherwise = {});

}  // namespace detent
