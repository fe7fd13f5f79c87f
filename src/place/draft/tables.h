#pragma once

#include <vector>

#include "detent/base/tensor.h"
#include "place/draft/draft.h"

namespace detent {

/// Finds constants that no layer multiplies by, of at least 1024 floats in four rows or more, whose readers can all
/// read codes behind a DequantizeLinear:
///
///   embedding table  read by Gather along axis 0 only, and no product reads the rows directly; a Gemm that computes in
///                    INT8 may have it as its weight (tied tables)
///   positions        read by Add only, more than one row of more than one number
///   others           read by Add, Sub, Mul and Where (masks): only if codes represent every number exactly
///
/// A constant with a reader that the user excludes, or that a measurement keeps float, is left out.
/// Empty   no such constant -> nothing.
/// Source  our policy. Gathering codes: onnxruntime's matmul_nbits_quantizer does the same to Gather
/// (GatherBlockQuantized).
[[nodiscard]] std::vector<TableDecision> find_tables(const GraphFacts& facts, const PlacementDraft& draft);

/// Estimates the SQNR in dB of INT8 codes with one scale a column (index of the last axis): amax / 127, and an error of
/// a twelfth of its square for each number other than 0.
/// table   floats of any type, rank >= 1.
/// Empty   no elements, or only zeros -> +Inf. NaN and Inf -> -Inf.
[[nodiscard]] double column_codes_db(const Tensor& table);

}  // namespace detent
