#pragma once

#include <map>
#include <optional>
#include <string>

#include "detent/base/qparams.h"
#include "lint/reading/qdq_node.h"
#include "model/graph/graph.h"

namespace detent {

/// A range of the file's pairs that holds for every number of a value.
struct CoveringRange {
  Range range;
  Range written;             ///< the same before a value that is never negative took codes from 0 up
  std::string from;          ///< the value whose pair gave it, the widest of several
  size_t steps = 0;          ///< operators between the two values; 0: the value's own pair
  bool behind_relu = false;  ///< it holds for the numbers that a Relu between the two values leaves
};

/// Returns the range of a grid for codes of `kind`: the same real numbers where type and zero point have a place there
/// (0 in INT8, 128 in UINT8 for symmetric codes; FP8 only for FP8), else the symmetric range that covers them, without
/// a given scale.
[[nodiscard]] Range range_of(const QdqNode& grid, RangeKind kind);

/// Returns the ranges of the values that have a pair, or that copies, MaxPool and Relu alone separate from pairs which
/// cover them. The nearest pairs count:
///
///     before it   those of the value, or of all inputs of a Concat, that it holds numbers of
///     behind it   that of one reader which keeps all its numbers; or those of all readers, where they drop some
///
/// grids  of the pairs' values, by name
[[nodiscard]] ValueMap<std::optional<CoveringRange>> covering_ranges(const Graph& graph,
                                                                     const std::map<std::string, const QdqNode*>& grids,
                                                                     RangeKind kind);

}  // namespace detent
