#include "tune/search.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/process/early_end.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// Returns up to `most` counts that divide the gap between `low` and `high` evenly, at least low + 1. low + 1 < high.
std::vector<size_t> counts_between(size_t low, size_t high, size_t most) {
  std::vector<size_t> counts;
  for (size_t k = 1; k <= most; ++k) {
    const size_t count = low + (high - low) * k / (most + 1);
    if (count > low && count < high && (counts.empty() || counts.back() < count)) counts.push_back(count);
  }
  if (counts.empty()) counts.push_back(low + 1);
  return counts;
}

/// Returns low + 1, low + 2, low + 4 ... below `high`, and `high`. low < high.
std::vector<size_t> doubling_counts(size_t low, size_t high) {
  std::vector<size_t> counts;
  for (size_t step = 1; low + step < high; step *= 2) counts.push_back(low + step);
  counts.push_back(high);
  return counts;
}

class SetSearch {
 public:
  SetSearch(SetJudge& judge, const SearchRules& rules) : judge_(judge), rules_(rules) {}

  std::vector<ChoiceSet> run() {
    try {
      search();
    } catch (const Error& error) {
      if (!ends_early(error)) throw;
    }
    return std::move(accepted_);
  }

 private:
  void search() {
    std::optional<ChoiceSet> enough = shortest_beginning();
    if (!enough) return;
    accepted_.push_back(std::move(*enough));
    const ChoiceSet found = accepted_.back(), order = judge_.order_of(found);
    const size_t together = rules_.together ? give_back_together(found, order) : 0;
    if (accepted_.back().size() <= rules_.most_single)
      give_back_one_by_one(ChoiceSet(order.begin() + static_cast<std::ptrdiff_t>(together), order.end()));
  }

  std::optional<ChoiceSet> shortest_beginning() {
    size_t failed = 0;
    while (failed < rules_.most) {
      std::optional<size_t> enough;
      const auto look = [&](const std::vector<size_t>& counts) {
        std::vector<ChoiceSet> sets;
        for (const size_t count : counts) sets.push_back(first_choices(count));
        const auto found = judge_.first_that(true, sets, {});
        if (!found || *found > 0) failed = counts[(found ? *found : counts.size()) - 1];
        if (found) enough = counts[*found];
      };
      look(doubling_counts(failed, rules_.most));
      while (enough && *enough - failed > 1) look(counts_between(failed, *enough, rules_.at_once));
      if (!enough) enough = rules_.most;  // a part of the samples may be wrong about it
      if (judge_.meets(first_choices(*enough))) return first_choices(*enough);
      failed = *enough;
    }
    return std::nullopt;
  }

  /// Gives back as many of the first of `order` as the bound allows; returns how many.
  size_t give_back_together(const ChoiceSet& found, const ChoiceSet& order) {
    size_t together = 0, broken = order.size();
    while (broken - together > 1) {
      const std::vector<size_t> counts = together == 0 && broken == order.size()
                                             ? doubling_counts(0, broken - 1)
                                             : counts_between(together, broken, rules_.at_once);
      std::vector<ChoiceSet> sets;
      for (const size_t count : counts) sets.push_back(without(found, std::span(order).first(count)));
      const auto first = judge_.first_that(false, sets, found);
      if (!first || *first > 0) together = counts[(first ? *first : counts.size()) - 1];
      if (first) broken = counts[*first];
    }
    for (; together > 0; --together) {
      ChoiceSet fewer = without(found, std::span(order).first(together));
      if (!judge_.meets(fewer)) continue;
      accepted_.push_back(std::move(fewer));
      break;
    }
    return together;
  }

  /// Gives back single choices beside those already given back, the cheapest first.
  void give_back_one_by_one(ChoiceSet order) {
    size_t fruitless = 0;
    while (!order.empty() && fruitless < rules_.fruitless) {
      const ChoiceSet found = accepted_.back();
      const size_t count = std::min(rules_.at_once, order.size());
      const ChoiceSet some(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
      const std::vector<std::optional<bool>> meets = judge_.meets_without(found, some);
      const auto given = std::ranges::find(meets, std::optional(true));
      const auto k = static_cast<size_t>(given - meets.begin());
      ChoiceSet rest;
      for (size_t i = 0; i < order.size(); ++i)
        if (i >= some.size() || (i != k && given != meets.end() && meets[i] != false)) rest.push_back(order[i]);
      order = std::move(rest);
      fruitless = given == meets.end() ? fruitless + 1 : 0;
      if (given != meets.end()) accepted_.push_back(without(found, std::span(some).subspan(k, 1)));
    }
  }

  SetJudge& judge_;
  SearchRules rules_;
  std::vector<ChoiceSet> accepted_;
};

}  // namespace

ChoiceSet first_choices(size_t count) {
  ChoiceSet set(count);
  std::iota(set.begin(), set.end(), size_t{0});
  return set;
}

ChoiceSet without(const ChoiceSet& set, std::span<const size_t> left_out) {
  ChoiceSet rest = set;
  std::erase_if(rest, [&](size_t i) { return std::ranges::find(left_out, i) != left_out.end(); });
  return rest;
}

std::vector<ChoiceSet> each_without(const ChoiceSet& set, std::span<const size_t> left_out) {
  std::vector<ChoiceSet> sets;
  for (size_t i = 0; i < left_out.size(); ++i) sets.push_back(without(set, left_out.subspan(i, 1)));
  return sets;
}

std::vector<ChoiceSet> search_sets(SetJudge& judge, const SearchRules& rules) { return SetSearch(judge, rules).run(); }

}  // namespace detent
