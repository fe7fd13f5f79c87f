#pragma once

#include <span>

#include "detent/base/tensor.h"

namespace detent {

/// Symmetric integer codes with one scale for each block of consecutive rows of a column.
struct BlockFormat {
  DataType codes = DataType::Int4;      ///< Int4 or Int8
  int64_t block = 32;                   ///< rows under one scale; 0: all rows
  DataType scales = DataType::Float32;  ///< type that scales are representable in: that of the weight
};

/// A weight [K, N] of a product x W, as codes and scales. real = code * scale of the block.
struct BlockedWeight {
  Tensor codes;   ///< [K, N]
  Tensor scales;  ///< of the format's type [ceil(K / block), N]; [N] where the block is all rows
};

/// Rows under one scale: the format's block, or all of `rows`.
[[nodiscard]] int64_t rows_in_block(const BlockFormat& format, int64_t rows);

/// The scale of each block is that which loses least in sum (w - w')^2: of 65 from half the largest weight to all of
/// it, by the largest code of narrow range (7 or 127), then the scale that fits the codes of the best one, as long as
/// that helps. The codes reach from -8 to 7, or -128 to 127. A block that is all zero gets scale 1.
///
/// weight   [K, N], floats of any type. The last block of a column may be shorter.
/// importance  of each row: the sum is that of importance * (w - w')^2. Empty: all are alike. Rows of a block that all
/// count nothing
///          are alike too.
/// Empty    no elements -> no codes; scales 1.
/// Cost     about 70 operations an element.
/// Errors   InvalidModel where the weight holds NaN or Inf.
[[nodiscard]] BlockedWeight quantize_blocks(const Tensor& weight, const BlockFormat& format,
                                            std::span<const float> importance = {});

/// [K, N] as floats: what a DequantizeLinear makes of the codes.
[[nodiscard]] Tensor dequantize_blocks(const BlockedWeight& weight, const BlockFormat& format);

/// A scale as the type `scales` holds it, and fit for dividing by; 0 where there is none near it.
[[nodiscard]] float scale_in(DataType scales, float wanted);

/// Other codes for the same scales. codes: [K, N] row-major, each in the range of the type.
[[nodiscard]] BlockedWeight with_codes(const BlockedWeight& weight, std::span<const int32_t> codes);

/// The nearest codes for other scales. scales: as those of a BlockedWeight.
[[nodiscard]] BlockedWeight with_scales(const Tensor& weight, const BlockFormat& format, Tensor scales);

/// Bytes that codes and scales take in a file.
[[nodiscard]] size_t stored_bytes(const BlockedWeight& weight);

}  // namespace detent
