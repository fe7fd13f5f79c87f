#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace detent {

/// Positions among ranked choices, ascending.
using ChoiceSet = std::vector<size_t>;

/// 0, 1 ... count - 1.
[[nodiscard]] ChoiceSet first_choices(size_t count);
[[nodiscard]] ChoiceSet without(const ChoiceSet& set, std::span<const size_t> left_out);
/// The set without each of these, one at a time.
[[nodiscard]] std::vector<ChoiceSet> each_without(const ChoiceSet& set, std::span<const size_t> left_out);

/// Where to look for a count between two, the first of which is known to be too small or too large: up to `most` numbers that divide the
/// gap evenly. low + 1 where the gap holds no more. low + 1 < high.
[[nodiscard]] std::vector<size_t> counts_between(size_t low, size_t high, size_t most);
/// low + 1, low + 2, low + 4 ... below `high`, and `high`. low < high.
[[nodiscard]] std::vector<size_t> doubling_counts(size_t low, size_t high);

}  // namespace detent
