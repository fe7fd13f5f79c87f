#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "detent/qparams.h"
#include "tune/refine/second_moments.h"

namespace detent {

/// A weight as rows x columns, row-major: a row makes one output, a column reads one input. Scales are given by element, so
/// that rows, tensors and blocks can have their own.
struct WeightRows {
  int64_t rows = 0, columns = 0;
  std::vector<float> weights, scales;
  bool any_code = false;  ///< scales are stored beside the codes: every code may be taken, by every weight
};

/// Codes of symmetric weights (zero point 0) that keep the layer's outputs near those of the float weights, not the weights
/// themselves: a row's cost is e^T H e, where e is the error of its weights and H the moments, to whose diagonal 1 % of its
/// mean is added. Columns are rounded one by one, the largest of the diagonal first; each takes over what the rounding of
/// those before it cost, as far as its input is like theirs.
///
/// codes    those allowed. Unless `any_code`, the larger of lowest and highest is not used where they differ in size, and a weight whose
///          nearest code is one of them keeps it: the largest weight of a row carries the row's scale.
/// Returns  rows x columns. A column that no input reached, and all columns where H is diagonal, get the nearest codes.
/// Empty    moments that are all zero or not finite -> nearest codes.
/// Cost     columns^3 / 3 + rows * columns^2 operations; twice the memory of the moments.
/// Source   Frantar et al., "GPTQ", 2022, equations 2 and 3, in the form of Chen et al., "The Geometry of LLM Quantization", 2025:
///          Babai's nearest plane on the Cholesky factor of H, so that no inverse is needed.
[[nodiscard]] std::vector<int32_t> round_by_moments(const WeightRows& rows, CodeRange codes,
                                                    const SecondMoments& moments);

}  // namespace detent
