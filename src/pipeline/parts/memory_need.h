#pragma once

#include <cstdint>
#include <string>

#include "detent/data_source.h"
#include "detent/run_settings.h"
#include "model/graph/value_shapes.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"

namespace detent {

/// What quantizing holds at one time at least. Weights in files are not counted: their pages come and go.
struct MemoryNeed {
  uint64_t codes = 0;    ///< bytes of INT8 weights, each once
  uint64_t values = 0;   ///< bytes that the largest product or convolution reads and writes for one batch, as floats
  uint64_t workers = 1;  ///< that run at the same time; 1 where samples need not all be as large as the first

  [[nodiscard]] uint64_t bytes() const { return codes + workers * values; }
};

/// shapes  of one batch. Empty or partly unknown: what is not known takes nothing. samples  nullptr: nothing is run.
[[nodiscard]] MemoryNeed memory_need(const Graph& graph, const ValueShapes& shapes, const PlacementPlan& plan,
                                     const RewriteOptions& format, const DataSource* samples,
                                     const RunSettings& settings);

/// Before anything is measured. Errors  InvalidData when there is no room, with the sizes and how many threads there would be room for.
void check_memory_need(const MemoryNeed& need, const std::string& model);

}  // namespace detent
