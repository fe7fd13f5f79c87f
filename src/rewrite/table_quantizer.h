#pragma once

#include <optional>

#include "rewrite/block_quantizer.h"

namespace detent {

/// INT8 codes and one scale that give back every number bit for bit: the scale is the smallest number that is not 0,
/// and every other is a multiple of it up to 127. So are masks of 0 and one large number. table    floats of any type
/// and shape. Codes have its shape, the scale is a scalar of its type.
/// Empty    no elements, or zeros alone -> scale 1.
/// Absent where no such codes are; for NaN and Inf too.
[[nodiscard]] std::optional<BlockedWeight> exact_codes(const Tensor& table);

/// INT8 codes with one scale for each index of the last axis, as quantize_blocks() finds it: a column keeps its scale
/// whatever rows a Gather takes. table    floats of any type, rank >= 1. Codes have its shape, scales [last extent] and
/// its type.
/// Empty    no elements -> no codes. Absent for NaN and Inf, and where more than one in 16 of the numbers
/// that are not 0 would become
///          0: a constant of few large numbers and many small ones, which codes of one scale cannot hold. (Of a column
///          with a normal distribution and its largest number at 10 standard deviations, three in a hundred do.)
[[nodiscard]] std::optional<BlockedWeight> column_codes(const Tensor& table);

/// What a DequantizeLinear makes of such codes, as Float32 of their shape.
[[nodiscard]] Tensor dequantize_table(const BlockedWeight& table);

}  // namespace detent
