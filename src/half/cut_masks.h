#pragma once

#include <string>
#include <vector>

#include "half/float_format.h"
#include "half/value_reach.h"
#include "model/graph_patch.h"

namespace detent {

/// Mask constants like -3.4e38, which Softmax turns into 0, cut to the range of a 16-bit type.
struct CutMasks {
  GraphPatch patch;
  std::vector<std::string> constants;  ///< names of the values
  ValueReaches reaches;                ///< of all values once the masks are cut
};

/// Returns the number that a mask becomes: a quarter of the type's range, so that adding a score keeps the headroom.
[[nodiscard]] double cut_mask(const FloatFormat& format);

/// Cuts finite elements beyond the type's range in constants that reach only Softmax, through Add, Mul, Where and
/// copies. e^-16376 is 0 as e^-3.4e38 is; in FP16 the latter is -infinity, and a row of -infinity makes NaN. A constant
/// stays when a value on the way has other elements beyond the range. In a row that is masked as a whole, scores that
/// differ by more than the type's step at the mask no longer come out equal.
/// Empty  no such constant -> an empty patch; `reaches` are always given.
[[nodiscard]] CutMasks cut_masks(const Graph& graph, const FloatFormat& format, const ValueReaches& reaches);

}  // namespace detent
