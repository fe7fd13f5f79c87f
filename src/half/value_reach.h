#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "detent/data_source.h"
#include "detent/run_settings.h"
#include "half/float_format.h"
#include "model/graph/graph.h"

namespace detent {

/// What a Float32 value does in the samples, as far as a narrower float type asks.
struct ValueReach {
  double amax = 0;         ///< largest finite |x|
  double mean_abs = 0;     ///< of the batch where it is largest
  double signal = 0;       ///< sum of x^2
  double noise = 0;        ///< sum of (x - x rounded to the type)^2, of numbers within its range
  uint64_t vanishing = 0;  ///< elements other than 0 that become 0

  /// Adds what other samples did.
  void include(const ValueReach& other);
  /// SQNR of the rounding in dB; +infinity where it changes nothing.
  [[nodiscard]] double rounding_db() const;
};

/// By value: the tensors of type Float32 that nodes make and the inputs of that type. No constants.
using ValueReaches = std::map<ValueId, ValueReach>;

/// Reach of one tensor of type Float32.
[[nodiscard]] ValueReach reach_of(const Tensor& tensor, const FloatFormat& format);

/// Runs every sample of `source` once in FP32. Values inside If, Loop and Scan are not looked at. Same samples in the same order,
/// any number of threads: same bits.
/// Errors  InvalidData when there is no sample; those of running; Interrupted.
[[nodiscard]] ValueReaches measure_reaches(const Graph& graph, const FloatFormat& format, const DataSource& source,
                                           const RunSettings& settings);

/// The Float32 values alone, with a reach of 0 each: what `measure_reaches` tells before it has seen a number. From one run.
/// inputs  one tensor per graph input, of any content
/// Errors  those of running.
[[nodiscard]] ValueReaches unmeasured_reaches(const Graph& graph, std::span<const Tensor> inputs);

}  // namespace detent
