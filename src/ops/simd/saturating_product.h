#pragma once

#include <cstddef>
#include <cstdint>

namespace detent {

/// A matrix of int8 weights, packed for multiply_saturating(): blocks of kSaturatingColumns columns, in which the
/// weights of four rows lie side by side, column after column.
inline constexpr size_t kSaturatingColumns = 16;
inline constexpr size_t kSaturatingRows = 4;  ///< the inner axis is padded to a multiple of this

/// Computes sums[r][c] = sum over i of saturate16(a[r][2i] * b[2i][c] + a[r][2i + 1] * b[2i + 1][c]), in 32 bits, as
/// vpmaddubsw and vpmaddwd do.
///
/// a        rows of `quads` * 4 codes, dense.
/// packed   `column_blocks` * `quads` * 64 weights.
/// sums     rows of `column_blocks` * 16 numbers, dense.
void multiply_saturating(const uint8_t* a, size_t rows, size_t quads, const int8_t* packed, size_t column_blocks,
                         int32_t* sums);

}  // namespace detent
