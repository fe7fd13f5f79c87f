#pragma once

#include <optional>

#include "rewrite/block_quantizer.h"

namespace detent {

/// Returns INT8 codes and one scale that represent every number exactly: the scale is the smallest magnitude above 0,
/// and every number is a multiple of it up to 127. Masks of 0 and one large number are such tables.
/// table   floats of any type and shape. Codes have its shape, the scale is a scalar of its type.
/// Empty   no elements, or only zeros -> scale 1.
/// Absent  when there are no such codes; for NaN and Inf too.
[[nodiscard]] std::optional<BlockedWeight> exact_codes(const Tensor& table);

/// Returns INT8 codes with one scale for each index of `axis`, that of the least squared error (WeightRange::Mse).
/// weight  floats of any type. Codes have its shape, scales its type.
/// Errors  those of quantize_weight().
[[nodiscard]] BlockedWeight channel_codes(const Tensor& weight, int axis);

/// Returns channel_codes() along the last axis: a column keeps its scale whatever rows a Gather takes.
/// table   floats of any type, rank >= 1. Codes have its shape, scales [last extent] and its type.
/// Empty   no elements -> no codes.
/// Absent  for NaN and Inf, and when more than one in 16 of the numbers other than 0 would become 0: one scale cannot
/// hold a few large numbers and many small ones. (In a column with a normal distribution and its largest number at 10
/// standard deviations, three in a hundred become 0.)
[[nodiscard]] std::optional<BlockedWeight> column_codes(const Tensor& table);

/// Returns the output of a DequantizeLinear of such codes, as Float32.
[[nodiscard]] Tensor dequantize_channels(const BlockedWeight& weight, int axis);
[[nodiscard]] Tensor dequantize_table(const BlockedWeight& table);  ///< along the last axis, or with one scale

}  // namespace detent
