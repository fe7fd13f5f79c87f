#pragma once

#include <cstdint>
#include <map>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/graph/graph.h"

namespace detent {

/// What a 16-bit float value did in samples, run in the types of the file.
struct HalfValue {
  DataType type = DataType::Float16;  ///< or BFloat16
  double amax = 0;                    ///< largest finite |x|
  uint64_t infinite = 0;              ///< elements that were Inf
  uint64_t nan = 0;                   ///< elements that were NaN
  /// In some batch it was not finite although everything that its maker read was: the trouble begins here.
  bool begins_here = false;
};

/// By value: the tensors of type Float16 or BFloat16 that nodes make. No inputs, no constants.
using HalfValues = std::map<ValueId, HalfValue>;

/// Runs every sample of `source` once through the graph as it is, with its pairs and its casts. Values inside If, Loop
/// and Scan are not looked at. Same samples, any number of threads: same numbers.
/// Errors  InvalidData when there is no
/// sample; those of running; Interrupted.
[[nodiscard]] HalfValues measure_half_values(const Graph& graph, const DataSource& source, const RunSettings& settings);

}  // namespace detent
