#include "calibrators/atoms.h"

#include <algorithm>
#include <numeric>

#include "core/index.h"

namespace detent {

namespace {

/// Returns the median of the bins around `bin`, without it.
double median_around(std::span<const double> counts, size_t bin) {
  constexpr auto kReach = as_index(kAtomReach);
  std::vector<double> around;
  const size_t begin = bin - std::min(bin, kReach), end = std::min(counts.size(), bin + kReach + 1);
  for (size_t i = begin; i < end; ++i)
    if (i != bin) around.push_back(counts[i]);
  if (around.empty()) return 0;
  const auto middle = around.begin() + as_extent(around.size() / 2);
  std::nth_element(around.begin(), middle, around.end());
  return *middle;
}

}  // namespace

std::vector<double> without_atoms(std::span<const double> counts) {
  std::vector<double> cut(counts.begin(), counts.end());
  const double least = kAtomShare * std::accumulate(counts.begin(), counts.end(), 0.0);
  for (size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] <= least) continue;
    const double most = kAtomFactor * median_around(counts, bin);
    if (most > 0 && counts[bin] > most) cut[bin] = most;
  }
  return cut;
}

}  // namespace detent
