#pragma once

#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// Constants that no layer multiplies by, of at least 1024 floats in four rows or more, whose readers can all read
/// codes behind a DequantizeLinear:
///
///   embedding table  read by Gather along axis 0 alone, and no product reads the rows directly
///   positions        read by Add alone, more than one row of more than one number
///   others           read by Add, Sub, Mul and Where (masks): only where codes give back every number
///
/// A constant with a reader that the user excludes, or that a measurement keeps float, is not among them.
/// Empty   no such constant -> nothing.
/// Source  ours. Gathering codes: onnxruntime's matmul_nbits_quantizer does the same to Gather (GatherBlockQuantized).
[[nodiscard]] std::vector<TableDecision> find_tables(const PlacementDraft& draft);

}  // namespace detent
