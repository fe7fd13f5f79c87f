#include "tune/latency/latency_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace detent {

LatencySearch::LatencySearch(std::vector<TimeBelief> effects, bool known, double noise)
    : model_(std::move(effects), noise), noise_(noise), spread_(known ? 0 : std::max(kSpread, model_.factors())) {}

std::vector<FactorSet> LatencySearch::allowed() const {
  std::vector<FactorSet> sets;
  for (FactorSet set = 0; set < model_.sets(); ++set)
    if (!forbidden_.contains(set)) sets.push_back(set);
  return sets;
}

/// Returns the timed sets for which one more time may change which of them is the fastest.
std::vector<FactorSet> LatencySearch::contested(const std::vector<TimeBelief>& known) const {
  constexpr size_t kMostTimes = 3;  // of a set: its error is .6 of a time's then
  const FactorSet fastest = best();
  const auto variance = [&](size_t times) { return times == 0 ? 0 : noise_ * noise_ / static_cast<double>(times); };
  const auto count = [&](FactorSet set) {
    const auto found = times_.find(set);
    return found == times_.end() ? 0 : found->second.size();
  };
  std::vector<FactorSet> close;
  for (const auto& [set, times] : times_) {
    if (set == fastest || forbidden_.contains(set)) continue;
    const double error = std::sqrt(variance(times.size()) + variance(count(fastest)));
    if (known[set].mean - known[fastest].mean > 2 * error * known[fastest].mean) continue;
    if (times.size() < kMostTimes) close.push_back(set);
    if (count(fastest) < kMostTimes) close.push_back(fastest);
  }
  std::ranges::sort(close);
  close.erase(std::ranges::unique(close).begin(), close.end());
  return close;
}

std::optional<FactorSet> LatencySearch::next(size_t left) const {
  const std::vector<FactorSet> sets = allowed();
  if (sets.empty()) return std::nullopt;
  const std::vector<TimeBelief> known = model_.beliefs();
  const double to_beat = known[best()].mean * (1 - noise_);
  const auto optimistic = [&](FactorSet set) { return known[set].mean - 2 * known[set].deviation; };
  std::vector<FactorSet> hopeful = sets;  // without a time
  std::erase_if(hopeful, [&](FactorSet set) { return times_.contains(set) || optimistic(set) > to_beat; });
  std::vector<FactorSet> useful = contested(known);
  useful.insert(useful.end(), hopeful.begin(), hopeful.end());
  if (useful.empty()) return std::nullopt;
  if (left == 1) {
    const FactorSet fastest = *std::ranges::min_element(sets, {}, [&](FactorSet set) { return known[set].mean; });
    if (!times_.contains(fastest)) return fastest;
  }
  const size_t asked = times_.size() - (times_.contains(0) ? 1 : 0);
  if (asked < spread_ && !hopeful.empty())
    return *std::ranges::max_element(hopeful, {}, [&](FactorSet set) { return known[set].deviation; });
  return model_.most_useful(useful, sets);
}

void LatencySearch::add(FactorSet set, double time) {
  times_[set].push_back(time);
  model_.add(set, time);
}

void LatencySearch::refuse(FactorSet set) {
  forbid(set);
  model_.add(set, LatencyModel::kWorst);
}

FactorSet LatencySearch::best() const {
  const std::vector<TimeBelief> known = model_.beliefs();
  FactorSet best = 0;
  for (const auto& [set, times] : times_)
    if (!forbidden_.contains(set) && known[set].mean < known[best].mean) best = set;
  return best;
}

double noise_of(const std::vector<std::vector<double>>& times) {
  constexpr double kUsual = .02, kLeast = .005;
  double squares = kUsual * kUsual, freedom = 1;
  for (const std::vector<double>& same : times) {
    if (same.size() < 2) continue;
    const double mean = std::accumulate(same.begin(), same.end(), 0.0) / static_cast<double>(same.size());
    for (const double time : same) squares += std::pow(time / mean - 1, 2);
    freedom += static_cast<double>(same.size() - 1);
  }
  return std::max(std::sqrt(squares / freedom), kLeast);
}

}  // namespace detent
