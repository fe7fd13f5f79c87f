#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tune/refine/range_variants.h"

namespace detent {

/// Squared error by squared signal, [batch * outputs + output]. 0 for outputs that say nothing: not float, or 0
/// throughout.
using RelativeNoise = std::vector<double>;

/// The noise of one variant. `signals` are errors of any variant on the same samples. As sample_scores() does, a sample
/// is held against its own signal or the average sample's, whichever is larger; noise that is not finite is 60 dB above
/// it.
[[nodiscard]] RelativeNoise relative_noise(const BatchErrorSums& errors, const BatchErrorSums& signals);

/// What is expected of a network with other ranges, without running it: the noise at its outputs is the sum of what
/// each value causes there alone, in the float network, and a rest that ranges do not change. What rounding causes at
/// different values is independent, so powers add.
class NoiseModel {
 public:
  /// whole    of the network with all values quantized; the rest is what it has beyond the sum of the parts, if
  /// anything. by_unit  [unit][trial]: of the unit alone; trial 0 is the range it has.
  NoiseModel(const RelativeNoise& whole, std::vector<std::vector<RelativeNoise>> by_unit, size_t outputs);

  [[nodiscard]] size_t chosen(size_t unit) const { return chosen_[unit]; }
  /// What each sample would gain if `unit` changed to `trial`, at its worst output before and after (sample_scores).
  [[nodiscard]] std::vector<double> gains_db(size_t unit, size_t trial) const;
  /// Changes one unit after the other to the trial with the largest mean gain, until none gains. A gain counts where it
  /// exceeds its standard error over the samples.
  void descend();

 private:
  bool improve(size_t unit);
  /// SQNR of a relative noise, at most the ceiling; also for sums that rounding made 0 or negative.
  [[nodiscard]] double bounded_db(double noise) const;

  std::vector<std::vector<RelativeNoise>> by_unit_;
  std::vector<size_t> chosen_;
  RelativeNoise total_;
  size_t outputs_;
  double ceiling_db_ = 0;  ///< of `total_` before anything changes (ceiling_db)
};

/// Above 0 by more than its standard error.
[[nodiscard]] bool is_certain_gain(std::span<const double> gains_db);

}  // namespace detent
