#pragma once

#include <cstdint>
#include <span>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "half/float_format.h"
#include "model/graph/graph.h"
#include "observe/float_reach.h"

namespace detent {

/// Runs every sample of `source` once in FP32. Values inside If, Loop and Scan are not looked at. Same samples in any
/// order, any number of threads: same bits.
/// Errors  InvalidData when there is no sample; those of running; Interrupted.
[[nodiscard]] ValueReaches measure_reaches(const Graph& graph, const DataSource& source, const RunSettings& settings);

/// Elements other than 0 that become 0 in the type: those below half of its smallest number.
[[nodiscard]] uint64_t vanishing(const ValueReach& reach, const FloatFormat& format);

/// SQNR of rounding the value to the type in dB, of the elements within its range; +infinity where there are none.
///
/// Signal and noise of a binade 2^(e-1) <= |x| < 2^e with elements spread evenly over it:
///
///     signal   7/3 * 4^(e-1)       mean of x^2
///     noise    step^2 / 12         step = max(2^(e-1) / 2^digits, smallest number); where x becomes 0, the signal
///
/// Source  B. Widrow, I. Kollar, Quantization Noise (2008), chapters 1 and 12: rounding noise is uniform, step^2/12, in
/// every
///         binade; the mean of x^2 by integration. Numbers that the type holds exactly count as rounded too.
[[nodiscard]] double rounding_db(const ValueReach& reach, const FloatFormat& format);

/// What rounding to the type does to one tensor, element by element.
struct TensorReach {
  double amax = 0;    ///< largest finite |x|
  double signal = 0;  ///< sum of x^2, of numbers within the type's range
  double noise = 0;   ///< sum of (x - x rounded to the type)^2, of the same
  /// SQNR of the rounding in dB; +infinity where it changes nothing.
  [[nodiscard]] double rounding_db() const;
};

/// Of a tensor of type Float32: constants, which are at hand.
[[nodiscard]] TensorReach reach_of(const Tensor& tensor, const FloatFormat& format);

/// The Float32 values alone, with a reach of 0 each: what `measure_reaches` tells before it has seen a number. From one
/// run. inputs  one tensor per graph input, of any content
/// Errors  those of running.
[[nodiscard]] ValueReaches unmeasured_reaches(const Graph& graph, std::span<const Tensor> inputs);

}  // namespace detent
