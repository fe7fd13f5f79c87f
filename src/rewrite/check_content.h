#pragma once

#include <string>

#include "rewrite/written_pairs.h"

namespace detent {

/// Returns the flaw of the constant that a reader gets, compared with that of the planned graph; empty: none.
///
/// Floats (`written` of the original's type) must equal the original's bits. Codes times scale must be within half a
/// step (FP8: half the distance to the next code away from 0), plus 1e-3 of a step for rounding (127 codes in FP32: 127
/// * 2^-23 steps; scales count as stored). A code at the end of its range also stands for weights up to 2.1 times its
/// value: weights keep at least half of their largest magnitude (weight_quantizer.h), constants of activations all of
/// it, and rounding loses half a code of 63. `axis` is the grid's; a single scale serves all channels. Shapes are equal
/// (checked before).
/// mask  the numbers are added before a Softmax: the lowest code stands for every number below it
[[nodiscard]] std::string content_flaw(const Tensor& original, const Tensor& written, const WrittenGrid& grid,
                                       bool mask = false);

/// Does the same for a constant without a pair.
[[nodiscard]] std::string content_flaw(const Tensor& original, const Tensor& written);

}  // namespace detent
