#include "core/nearest_names.h"

#include <algorithm>
#include <numeric>

namespace detent {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // distances of a's beginning from each beginning of b
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> names, size_t count) {
  std::vector<std::pair<size_t, size_t>> ranked;  // (distance, index)
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i];
    const bool part = !wanted.empty() && !name.empty() &&
                      (name.find(wanted) != std::string_view::npos || wanted.find(name) != std::string_view::npos);
    ranked.emplace_back(part ? std::min<size_t>(1, edit_distance(wanted, name)) : edit_distance(wanted, name), i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min(count, ranked.size()); ++i) nearest.push_back(names[ranked[i].second]);
  return nearest;
}

}  // namespace detent
