#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "detent/reports/latency_report.h"

namespace detent {

/// A file that may be written, with the times of its calls.
struct TimedFile {
  std::vector<double> times;  ///< ms; empty: the engine does not take it, or was not asked
  double sqnr_db = 0;         ///< infinite: exact
  size_t changes = 0;         ///< from the default file
  double belief = 1;          ///< its time over the default's, as the model of all times has it
};

/// The files that were timed within the accuracy.
struct TimedFiles {
  TimedFile usual;                  ///< the default file
  std::vector<TimedFile> variants;  ///< each with times
  size_t fastest = 0;               ///< of `variants` by the model; variants.size(): the default
  TimedFile float_model{.sqnr_db = std::numeric_limits<double>::infinity()};
  TimedFile cast;
};

/// The file to write.
struct FastestChoice {
  LatencyChoice file = LatencyChoice::Default;
  size_t variant = 0;                                   ///< of `variants`, where `file` is Variant
  double ms = std::numeric_limits<double>::infinity();  ///< mean of its calls; infinite without one
};

/// Returns the mean in the unit of `times`.
/// Empty  NaN
[[nodiscard]] double mean_of(const std::vector<double>& times);

/// Chooses the fastest file, where a time counts as smaller only beyond `noise`, the standard deviation of a call as a
/// part of its time.
///
/// Variants  of those that take the same time as the fastest: the most accurate one, within 1 dB the one with the
///           fewest changes. It is taken where both its times and the model say that it is faster than the default.
/// Float, cast  replace that where they are faster, or where they take the same time as a variant, are faster than the
///           default as well and more accurate by 1 dB.
/// Empty     without times of the default: the faster of float and cast, Default without these.
[[nodiscard]] FastestChoice choose_fastest(const TimedFiles& files, double noise);

}  // namespace detent
