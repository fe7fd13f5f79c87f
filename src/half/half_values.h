#pragma once

#include <cstdint>
#include <map>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/graph/graph.h"

namespace detent {

/// Range of a 16-bit float value over the samples, run in the types of the file.
struct HalfValue {
  DataType type = DataType::Float16;  ///< or BFloat16
  double amax = 0;                    ///< largest finite |x|
  uint64_t infinite = 0;              ///< elements that were Inf
  uint64_t nan = 0;                   ///< elements that were NaN
  /// True when it was not finite in some batch although every input of its producer was: the trouble begins here.
  bool begins_here = false;
};

/// The Float16 and BFloat16 values that nodes write; no inputs, no constants.
using HalfValues = std::map<ValueId, HalfValue>;

/// Runs every sample of `source` once through the graph, with its pairs and its casts. Skips values inside If, Loop and
/// Scan. The result does not depend on the number of threads.
/// Errors  InvalidData when there is no sample; those of running; Interrupted.
[[nodiscard]] HalfValues measure_half_values(const Graph& graph, const DataSource& source, const RunSettings& settings);

}  // namespace detent
