#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace detent {

/// Positions among ranked choices, ascending.
using ChoiceSet = std::vector<size_t>;

/// Returns 0, 1 ... count - 1.
[[nodiscard]] ChoiceSet first_choices(size_t count);
[[nodiscard]] ChoiceSet without(const ChoiceSet& set, std::span<const size_t> left_out);
/// Returns the set without each of these, one at a time.
[[nodiscard]] std::vector<ChoiceSet> each_without(const ChoiceSet& set, std::span<const size_t> left_out);

/// Says whether a model meets a bound when a set of choices keeps its precision. Larger sets are assumed to do no
/// worse.
class SetJudge {
 public:
  virtual ~SetJudge() = default;

  /// Returns the position of the first of `sets` that seems to meet the bound (`yes`) or to miss it, if any. Each set
  /// contains the one before it, or is contained in it. base  a set that most of them nearly equal.
  [[nodiscard]] virtual std::optional<size_t> first_that(bool yes, const std::vector<ChoiceSet>& sets,
                                                         const std::optional<ChoiceSet>& base) = 0;
  /// Decides on all samples.
  [[nodiscard]] virtual bool meets(const ChoiceSet& set) = 0;
  /// Says for each of `choices` whether `found` without it meets the bound: true when measured on all samples, false
  /// when sure. Absent: not known, because an earlier one meets it.
  [[nodiscard]] virtual std::vector<std::optional<bool>> meets_without(const ChoiceSet& found,
                                                                       const ChoiceSet& choices) = 0;
  /// Returns the choices of `found` that may be given back, the cheapest first.
  [[nodiscard]] virtual ChoiceSet order_of(const ChoiceSet& found) = 0;

 protected:
  SetJudge() = default;
  SetJudge(const SetJudge&) = default;
  SetJudge& operator=(const SetJudge&) = default;
};

struct SearchRules {
  size_t most = 0;        ///< choices of the longest prefix
  size_t at_once = 1;     ///< sets that the judge measures side by side
  bool together = false;  ///< gives several choices back at a time first, then one by one
  size_t most_single = std::numeric_limits<size_t>::max();  ///< sets of more choices give none back one by one
  size_t fruitless = std::numeric_limits<size_t>::max();    ///< rounds in a row without success that end the search
};

/// Searches for small sets of choices that meet the bound; each set returned is smaller than the one before. Choices
/// are ranked: the first helps most for its price.
///
/// 1. Finds the shortest prefix of the ranking that meets the bound: 1, 2, 4, 8 ... choices, then between the last two.
///    If `meets` contradicts `first_that`, tries longer ones.
/// 2. Gives back as many choices as the bound allows, in the order of SetJudge::order_of: together, then one by one.
/// No prefix meets the bound -> empty. An early end (EarlyEnd) -> the sets found so far.
[[nodiscard]] std::vector<ChoiceSet> search_sets(SetJudge& judge, const SearchRules& rules);

}  // namespace detent
