#pragma once

#include <string>

#include "rewrite/written_pairs.h"

namespace detent {

/// The flaw of the constant that a reader gets, compared with the one of the planned graph; empty: none.
///
/// Floats (`written` of the original's type) are the original's, bit for bit. Codes times scale lie within half a step
/// of it (FP8: of the distance to the next code away from 0), plus 1e-3 of a step for roundings (127 codes in FP32: 127
/// * 2^-23 steps; scales count as they stand in the file). A code at the end of its range stands for weights beyond as
/// well, up to 2.1 times its own value: weights keep at least half of their largest magnitude (weight_quantizer.h),
/// activations' constants all of it, and half a code of 63 is lost in rounding. `axis` is the grid's; one scale serves
/// all where it has one. Shapes are equal (checked before).
[[nodiscard]] std::string content_flaw(const Tensor& original, const Tensor& written, const WrittenGrid& grid);

/// The same for a constant that no pair stands on.
[[nodiscard]] std::string content_flaw(const Tensor& original, const Tensor& written);

}  // namespace detent
