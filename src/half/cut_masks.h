#pragma once

#include <string>
#include <vector>

#include "half/float_format.h"
#include "half/value_reach.h"
#include "model/graph_patch.h"

namespace detent {

/// Constants like -3.4e38 that a Softmax makes 0 of, within what a 16-bit type holds.
struct CutMasks {
  GraphPatch patch;
  std::vector<std::string> constants;  ///< names of the values
  ValueReaches reaches;                ///< of all values, as they are with the masks cut
};

/// What a mask becomes: a quarter of the type's range, so that a score may be added and the headroom is kept.
[[nodiscard]] double cut_mask(const FloatFormat& format);

/// Cuts the finite elements beyond the type's range of constants of which nothing but Softmax sees the end, by way of
/// Add, Mul, Where and copies. e^-16376 is 0 as e^-3.4e38 is; in FP16 the latter is -infinity, and a row of those makes
/// NaN. Constants stay where a value on the way has other elements that the type does not hold. A row that is masked as
/// a whole is no longer uniform where its scores are farther apart than the type's step at the mask. Empty where there
/// are none; `reaches` are always given.
[[nodiscard]] CutMasks cut_masks(const Graph& graph, const FloatFormat& format, const ValueReaches& reaches);

}  // namespace detent
