#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tune/latency/latency_model.h"

namespace detent {

/// Searches for the fastest set of factors with few noisy times.
///
/// 1. Asks for the sets of which least is known and that may be faster than the default, until there are kSpread times
///    beside the default's or one for each factor: each time tells something of all factors.
/// 2. Asks for the set whose time is most useful (LatencyModel::most_useful), also one that was asked before.
/// 3. The last time goes to the set that is expected to be the fastest, unless it has one.
/// It ends before where no set without a time may be faster than the fastest file beyond the noise, and no further time
/// can change which set that is: none is within the error of the fastest, or those have three times each.
class LatencySearch {
 public:
  /// effects  of each factor before a measurement; at most kMostFactors.
  /// known    they come from measurements of other networks: step 1 is left out
  /// noise    of a time, as a part of it
  LatencySearch(std::vector<TimeBelief> effects, bool known, double noise);

  static constexpr size_t kSpread = 7;

  [[nodiscard]] size_t factors() const { return model_.factors(); }
  /// Returns the set to measure next; nullopt at the end of the search.
  /// left  calls that may still be made, this one included
  [[nodiscard]] std::optional<FactorSet> next(size_t left) const;
  /// Adds the time of a set as a part of the default's.
  void add(FactorSet set, double time);
  /// Adds that the engine does not take a set's file: it is not asked again.
  void refuse(FactorSet set);
  /// Forbids a set that is not accurate enough.
  void forbid(FactorSet set) { forbidden_.insert(set); }
  [[nodiscard]] bool is_forbidden(FactorSet set) const { return forbidden_.contains(set); }
  /// Returns the sets that are not accurate enough or refused.
  [[nodiscard]] const std::set<FactorSet>& forbidden() const { return forbidden_; }
  void set_noise(double noise) { model_.set_noise(noise_ = noise); }

  /// Returns the set with times that is expected to be the fastest; the default has one.
  [[nodiscard]] FactorSet best() const;
  [[nodiscard]] TimeBelief belief_of(FactorSet set) const { return model_.beliefs()[set]; }
  [[nodiscard]] TimeBelief effect_of(size_t factor) const { return model_.effect_of(factor); }
  /// Times of each measured set.
  [[nodiscard]] const std::map<FactorSet, std::vector<double>>& times() const { return times_; }

 private:
  [[nodiscard]] std::vector<FactorSet> allowed() const;
  [[nodiscard]] std::vector<FactorSet> contested(const std::vector<TimeBelief>& known) const;

  LatencyModel model_;
  double noise_;
  size_t spread_;
  std::map<FactorSet, std::vector<double>> times_;
  std::set<FactorSet> forbidden_;
};

/// Returns the standard deviation of a time as a part of it, from repeated times of the same files; at least kLeast.
/// Without repeated times kUsual, which weighs as much as one repetition.
[[nodiscard]] double noise_of(const std::vector<std::vector<double>>& times);

}  // namespace detent
