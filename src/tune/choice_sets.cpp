#include "tune/choice_sets.h"

#include <algorithm>
#include <numeric>

namespace detent {

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

std::vector<size_t> counts_between(size_t low, size_t high, size_t most) {
  std::vector<size_t> counts;
  for (size_t k = 1; k <= most; ++k) {
    const size_t count = low + (high - low) * k / (most + 1);
    if (count > low && count < high && (counts.empty() || counts.back() < count)) counts.push_back(count);
  }
  if (counts.empty()) counts.push_back(low + 1);
  return counts;
}

std::vector<size_t> doubling_counts(size_t low, size_t high) {
  std::vector<size_t> counts;
  for (size_t step = 1; low + step < high; step *= 2) counts.push_back(low + step);
  counts.push_back(high);
  return counts;
}

}  // namespace detent
