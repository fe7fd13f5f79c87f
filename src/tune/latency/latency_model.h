#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace detent {

/// Factors that are on: bit i is factor i. The empty set is the default file.
using FactorSet = uint32_t;

/// Most factors of a LatencyModel: it looks at every set of them.
inline constexpr size_t kMostFactors = 10;

/// A normal distribution of a time, or of a difference of times, as a part of the default file's time.
struct TimeBelief {
  double mean = 0, deviation = 0;
};

/// Knowledge from noisy times about the factors that change a file's time.
///
/// The time of a set, as a part of the default's, is the default's own, the sum of the effects of its factors, and
/// where both factors of at most one pair are on, what these two do together, and a little of this set alone. Before a
/// measurement the effects are normal; which pair it is, if any, is not known. Each possibility is a Bayesian linear
/// regression, weighed by how well it explains the times. Source  Bishop, Pattern Recognition and Machine Learning, 3.3
/// (regression) and 3.4 (evidence).
class LatencyModel {
 public:
  /// effects  of each factor before a measurement; at most kMostFactors.
  /// noise    standard deviation of a time, as a part of it; above 0.
  /// times    measured ones, with their sets
  LatencyModel(std::vector<TimeBelief> effects, double noise, const std::vector<std::pair<FactorSet, double>>& times);
  ~LatencyModel();
  LatencyModel(const LatencyModel&) = delete;
  LatencyModel& operator=(const LatencyModel&) = delete;

  /// The effect of a factor of which nothing is known.
  static constexpr TimeBelief kUnknownEffect{0, .12};
  /// Times from here on are equally bad: one slow file does not spoil the scale of the others.
  static constexpr double kWorst = 3;

  [[nodiscard]] size_t factors() const { return effects_.size(); }
  [[nodiscard]] size_t sets() const { return size_t{1} << factors(); }
  /// Returns what is known of each set's time, by set.
  [[nodiscard]] std::vector<TimeBelief> beliefs() const;
  /// Returns what is known of the effect of a factor alone.
  [[nodiscard]] TimeBelief effect_of(size_t factor) const;
  /// Returns the set among `asked` whose next time lowers the smallest expected time among `allowed` most (knowledge
  /// gradient). Neither is empty.
  /// Source  Frazier, Powell, Dayanik, The Knowledge-Gradient Policy for Correlated Normal Beliefs, 2009.
  [[nodiscard]] FactorSet most_useful(const std::vector<FactorSet>& asked, const std::vector<FactorSet>& allowed) const;

 private:
  struct Hypothesis;

  void explain(const std::vector<std::pair<FactorSet, double>>& times);

  std::vector<TimeBelief> effects_;
  double noise_;
  std::vector<Hypothesis> hypotheses_;
};

}  // namespace detent
