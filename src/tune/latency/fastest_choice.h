#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "detent/options/latency_options.h"
#include "detent/reports/latency_report.h"

namespace detent {

/// A file that may be written, with the times of its calls.
struct TimedFile {
  LatencyChoice kind = LatencyChoice::Variant;
  std::vector<double> times = {};  ///< ms; empty: the engine does not take it, or was not asked
  double sqnr_db = 0;              ///< infinite: exact
  size_t changes = 0;              ///< from the default file
  double belief = 1;               ///< its time over the default's, as the model of all times has it
  uint64_t bytes = 0;
};

/// The file to write.
struct FastestChoice {
  size_t file = 0;
  double ms = std::numeric_limits<double>::infinity();  ///< mean of its calls; infinite without one
};

/// Chooses the fastest file, where a time counts as smaller only beyond `noise`, the standard deviation of a call as a
/// part of its time. The first file is the default.
///
/// Variants  of those that take the same time as the one with the least belief: the most accurate one, within 1 dB the
///           one with the fewest changes. It is taken where both its times and the model say that it is faster than the
///           default.
/// Float, cast  replace that where they are faster beyond the noise. Files that are more accurate by 1 dB replace it
///           also where they are faster at all, and a variant where they take the same time and are faster than the
///           default.
/// Empty     without times of the default: the faster of float and cast, Default without these.
[[nodiscard]] FastestChoice choose_fastest(const std::vector<TimedFile>& files, double noise);

/// Chooses the file to write. Speed: choose_fastest(). Size: the smallest one that is not slower than the float model
/// beyond the noise; of those that differ by less than 1 %, the fastest. Accuracy: the one with the highest SQNR that
/// is faster than the float model beyond the noise, else the float model; of equal ones the fastest. Empty     as
/// choose_fastest().
[[nodiscard]] FastestChoice choose_file(const std::vector<TimedFile>& files, double noise, LatencyPrefer prefer);

/// Returns the places of the files that no other one beats (LatencyReport::Front), the fastest first.
/// Empty     no file with times -> none.
[[nodiscard]] std::vector<size_t> front_of(const std::vector<TimedFile>& files);

}  // namespace detent
