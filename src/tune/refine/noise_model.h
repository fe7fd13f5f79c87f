#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "evaluate/error_sums.h"

namespace detent {

/// Errors of one variant, [batch][output].
using BatchErrorSums = std::vector<std::vector<ErrorSums>>;

/// Noise power by signal power, [batch * outputs + output]. 0 for outputs that are not float, or 0 in all samples.
using RelativeNoise = std::vector<double>;

/// Returns the noise of one variant. `signals` are the errors of any variant on the same samples. As in
/// sample_scores(), a sample's noise is relative to its own signal or the average sample's, whichever is larger; noise
/// that is not finite counts as 60 dB above the signal.
[[nodiscard]] RelativeNoise relative_noise(const BatchErrorSums& errors, const BatchErrorSums& signals);

/// Predicts a network with other ranges without running it. The noise at the outputs is taken as the sum of the noise
/// of each value alone in the float network, plus a rest that ranges do not change: rounding errors of different values
/// are independent, so their powers add.
class NoiseModel {
 public:
  /// whole    of the network with all values quantized; the rest is its excess over the sum of the parts.
  /// by_unit  [unit][trial]: of the unit alone; trial 0 is the current range.
  NoiseModel(const RelativeNoise& whole, std::vector<std::vector<RelativeNoise>> by_unit, size_t outputs);

  [[nodiscard]] size_t chosen(size_t unit) const { return chosen_[unit]; }
  /// Returns the gain of each sample at its worst output if `unit` changed to `trial`.
  [[nodiscard]] std::vector<double> gains_db(size_t unit, size_t trial) const;
  /// Changes one unit after the other to the trial with the largest mean gain, until none gains more than its standard
  /// error over the samples.
  void descend();

 private:
  bool improve(size_t unit);
  /// Returns the SQNR of a relative noise, at most the ceiling; also for sums that rounding made 0 or negative.
  [[nodiscard]] double bounded_db(double noise) const;

  std::vector<std::vector<RelativeNoise>> by_unit_;
  std::vector<size_t> chosen_;
  RelativeNoise total_;
  size_t outputs_;
  double ceiling_db_ = 0;  ///< ceiling_db() of `total_` before any change
};

/// True when the mean gain exceeds its standard error.
[[nodiscard]] bool is_certain_gain(std::span<const double> gains_db);

}  // namespace detent
