#include "observe/stored_reaches.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "observe/calibration_table.pb.h"
#include "observe/stored_equalization.h"

namespace detent {

namespace {

constexpr int kExponents = ValueReach::kHighest - ValueReach::kLowest + 1;

void store(const ValueReach& reach, stored::Reach& out) {
  out.set_float32(true);
  out.set_zeros(reach.zeros);
  out.set_non_finite(reach.non_finite);
  out.set_amax(static_cast<float>(reach.amax));
  out.set_largest(static_cast<float>(reach.largest));
  out.set_mean_abs(reach.mean_abs);
  out.set_elements(reach.elements);
  const auto filled = [](uint64_t count) { return count != 0; };
  const auto first = std::ranges::find_if(reach.counts, filled);
  const auto last = std::find_if(reach.counts.rbegin(), std::make_reverse_iterator(first), filled).base();
  if (first == last) return;
  out.set_first_exponent(static_cast<int>(first - reach.counts.begin()) + ValueReach::kLowest);
  out.mutable_counts()->Add(first, last);
}

/// The exponent of a value's largest element, which its counts must end with.
int last_exponent(const stored::Reach& stored) { return stored.first_exponent() + stored.counts_size() - 1; }

ValueReach restore(const stored::Reach& stored) {
  const int first = stored.first_exponent() - ValueReach::kLowest;
  if (stored.counts_size() > 0 && (first < 0 || stored.counts_size() > kExponents - first))
    throw damaged_table("it has numbers that no float can be");
  ValueReach reach;
  std::ranges::copy(stored.counts(), reach.counts.begin() + std::max(0, first));
  reach.zeros = stored.zeros();
  reach.non_finite = stored.non_finite();
  reach.amax = static_cast<double>(stored.amax());
  reach.largest = static_cast<double>(stored.largest());
  reach.mean_abs = stored.mean_abs();
  reach.elements = stored.elements();
  int exponent = 0;
  static_cast<void>(std::frexp(reach.amax, &exponent));
  const bool fits = stored.counts_size() == 0 ? reach.amax == 0 : exponent == last_exponent(stored);
  if (!fits || !(reach.amax >= 0) || !std::isfinite(reach.amax) ||
      !(reach.largest >= 0 && reach.largest <= reach.amax) || !(reach.mean_abs >= 0 && reach.mean_abs <= reach.amax))
    throw damaged_table("it has a reach that no numbers have");
  return reach;
}

}  // namespace

void store_reaches(const TableReaches& reaches, stored::Table& out) {
  for (const auto& [name, reach] : reaches) {
    auto& stored = *out.add_reaches();
    stored.set_name(name);
    if (reach) store(*reach, stored);
  }
}

TableReaches restore_reaches(const stored::Table& stored) {
  TableReaches reaches;
  for (const auto& item : stored.reaches()) {
    if (!reaches.empty() && reaches.rbegin()->first >= item.name())
      throw damaged_table("its float values are not in order");
    reaches.emplace_hint(reaches.end(), item.name(),
                         item.float32() ? std::optional(restore(item)) : std::optional<ValueReach>());
  }
  return reaches;
}

}  // namespace detent
