#pragma once

#include <span>

#include "detent/base/tensor.h"

namespace detent {

/// Symmetric integer codes with one scale for each block of consecutive rows of a column.
struct BlockFormat {
  DataType codes = DataType::Int4;      ///< Int4 or Int8
  int64_t block = 32;                   ///< rows under one scale; 0: all rows
  DataType scales = DataType::Float32;  ///< type in which scales are representable: the weight's
  bool divides = false;                 ///< blocks that do not divide the rows are shortened
};

/// A weight [K, N] of a product x W as codes and scales: real = code * scale of the block. Another one has channels of
/// one scale each (rewrite/table_quantizer.h).
struct BlockedWeight {
  Tensor codes;   ///< [K, N]
  Tensor scales;  ///< of the format's type, [ceil(K / block), N]; [N] when the format's block is all rows
};

/// Returns the rows under one scale: the format's block, or all of `rows`. If it has to divide the rows, it is the
/// largest divisor from a quarter of the block on, even for 4-bit codes, or all rows.
[[nodiscard]] int64_t rows_in_block(const BlockFormat& format, int64_t rows);

/// Quantizes a weight. The scale of each block minimises sum (w - w')^2 over 65 candidates from half the largest weight
/// to all of it, divided by the largest code of narrow range (7 or 127); then it becomes the scale that fits the codes
/// of the best one, as long as that helps. Codes are -8 to 7, or -128 to 127. A block of zeros gets scale 1.
///
/// weight      [K, N], floats of any type. The last block of a column may be shorter.
/// importance  of each row: the sum is that of importance * (w - w')^2. Empty: all rows are equal, as are the rows of a
/// block whose importances are all 0.
/// Empty       no elements -> no codes; scales 1.
/// Cost        about 70 operations an element.
/// Errors      InvalidModel when the weight holds NaN or Inf.
[[nodiscard]] BlockedWeight quantize_blocks(const Tensor& weight, const BlockFormat& format,
                                            std::span<const float> importance = {});

/// Returns [K, N] as floats: the output of a DequantizeLinear of the codes.
[[nodiscard]] Tensor dequantize_blocks(const BlockedWeight& weight, const BlockFormat& format);

/// Returns a scale rounded to the type `scales`; 0 when it is not finite or too small to divide by.
[[nodiscard]] float scale_in(DataType scales, float wanted);

/// Returns other codes with the same scales. codes: [K, N] row-major, each in the range of the type.
[[nodiscard]] BlockedWeight with_codes(const BlockedWeight& weight, std::span<const int32_t> codes);

/// Returns the nearest codes for other scales. scales: as those of a BlockedWeight.
[[nodiscard]] BlockedWeight with_scales(const Tensor& weight, const BlockFormat& format, Tensor scales);

/// Returns the bytes that codes and scales take in a file.
[[nodiscard]] size_t stored_bytes(const BlockedWeight& weight);

}  // namespace detent
