#pragma once

#include <cstddef>
#include <limits>
#include <optional>
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

/// Where to look for a count between two, the first of which is known to be too small or too large: up to `most`
/// numbers that divide the gap evenly. low + 1 where the gap holds no more. low + 1 < high.
[[nodiscard]] std::vector<size_t> counts_between(size_t low, size_t high, size_t most);
/// low + 1, low + 2, low + 4 ... below `high`, and `high`. low < high.
[[nodiscard]] std::vector<size_t> doubling_counts(size_t low, size_t high);

/// Says whether a model meets a bound when a set of choices keeps its precision. A larger set is taken to do no worse.
class SetJudge {
 public:
  virtual ~SetJudge() = default;

  /// Position of the first of `sets` that seems to meet the bound (`yes`), or to miss it; none where none does. Each
  /// set holds the one before it, or is held by it. base  a set that most of them are nearly equal to.
  [[nodiscard]] virtual std::optional<size_t> first_that(bool yes, const std::vector<ChoiceSet>& sets,
                                                         const std::optional<ChoiceSet>& base) = 0;
  /// On all samples.
  [[nodiscard]] virtual bool meets(const ChoiceSet& set) = 0;
  /// For each of `choices`, whether `found` without it meets the bound: true on all samples, false where that is sure.
  /// Absent: not known, because an earlier one does.
  [[nodiscard]] virtual std::vector<std::optional<bool>> meets_without(const ChoiceSet& found,
                                                                       const ChoiceSet& choices) = 0;
  /// The choices of `found` that may be given back, the cheapest first. Not ascending.
  [[nodiscard]] virtual ChoiceSet order_of(const ChoiceSet& found) = 0;

 protected:
  SetJudge() = default;
  SetJudge(const SetJudge&) = default;
  SetJudge& operator=(const SetJudge&) = default;
};

struct SearchRules {
  size_t most = 0;        ///< choices of the longest beginning
  size_t at_once = 1;     ///< sets that the judge looks at side by side
  bool together = false;  ///< several choices are given back at a time before they are one by one
  size_t fruitless =
      std::numeric_limits<size_t>::max();  ///< rounds in a row that give nothing back before the search ends
};

/// Sets of few choices that meet the bound, each better than the one before. Choices are ranked: the first helps most
/// for its price.
///
/// 1. The shortest beginning of the ranking that meets the bound: 1, 2, 4, 8 ... choices, then between the last two.
/// Where `meets` denies
///    what `first_that` says, the search goes on behind it.
/// 2. As many of its choices as the bound can do without are given back, first together, then one by one, in the order
/// of
///    SetJudge::order_of.
/// Empty   no beginning meets the bound.
[[nodiscard]] std::vector<ChoiceSet> search_sets(SetJudge& judge, const SearchRules& rules);

}  // namespace detent
