#pragma once

#include <cstdint>
#include <span>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "half/float_format.h"
#include "model/graph/graph.h"
#include "observe/float_reach.h"

namespace detent {

/// Runs every sample of `source` once in FP32. Skips values inside If, Loop and Scan. The bits of the result do not
/// depend on the order of samples or the number of threads.
/// Errors  InvalidData when there is no sample; those of running; Interrupted.
[[nodiscard]] ValueReaches measure_reaches(const Graph& graph, const DataSource& source, const RunSettings& settings);

/// True for a reach that holds a bound instead of measured elements (bound_reaches).
[[nodiscard]] bool is_bound(const ValueReach& reach);

/// Counts the elements other than 0 that become 0 in the type: those below half of its smallest number.
[[nodiscard]] uint64_t vanishing(const ValueReach& reach, const FloatFormat& format);

/// Power of a value's elements within a type's range, and of their rounding.
struct RoundedPower {
  double elements = 0;           ///< other than 0
  double signal = 0, noise = 0;  ///< summed over them
};

/// Returns the power by the estimate of rounding_db().
[[nodiscard]] RoundedPower power_of(const ValueReach& reach, const FloatFormat& format);

/// Returns the SQNR in dB of rounding the value's elements within the type's range to the type; +infinity when there
/// are none.
///
/// Signal and noise of a binade 2^(e-1) <= |x| < 2^e with elements spread evenly over it:
///
///     signal   7/3 * 4^(e-1)       mean of x^2
///     noise    step^2 / 12         step = max(2^(e-1) / 2^digits, smallest number); where x becomes 0, the signal
///
/// Source  B. Widrow, I. Kollar, Quantization Noise (2008), chapters 1 and 12: rounding noise is uniform, step^2/12, in
/// every binade; the mean of x^2 by integration. Numbers that the type holds exactly count as rounded too.
[[nodiscard]] double rounding_db(const ValueReach& reach, const FloatFormat& format);

/// Error of rounding one tensor to a type, element by element.
struct TensorReach {
  double amax = 0;    ///< largest finite |x|
  double signal = 0;  ///< sum of x^2, of numbers within the type's range
  double noise = 0;   ///< sum of (x - x rounded to the type)^2, of the same
  /// Returns the SQNR of the rounding in dB; +infinity when it changes nothing.
  [[nodiscard]] double rounding_db() const;
};

/// Measures a constant of type Float32.
[[nodiscard]] TensorReach reach_of(const Tensor& tensor, const FloatFormat& format);

/// Returns the Float32 values with a reach of 0 each, from one run: the keys of `measure_reaches` without its numbers.
/// inputs  one tensor per graph input, of any content
/// Errors  those of running.
[[nodiscard]] ValueReaches unmeasured_reaches(const Graph& graph, std::span<const Tensor> inputs);

}  // namespace detent
