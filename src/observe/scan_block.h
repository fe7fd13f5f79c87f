#pragma once

#include <cstddef>
#include <cstdint>

namespace detent {

/// What one pass over a block of elements found.
struct BlockScan {
  size_t indices = 0;         ///< number of indices written
  size_t non_zero = 0;        ///< elements with 2^-40 <= |x|; those of the indices that are below kNowhere
  uint32_t largest_bits = 0;  ///< bit pattern of the largest |x|; NaN and Inf make it 0x7f800000 or more
  float min = 0, max = 0;     ///< with |x| < 2^-40 taken as +0; meaningless when the block holds NaN or Inf
};

/// Space that scan_block needs in `indices` beyond the number of elements: it stores whole vectors.
inline constexpr size_t kScanSlack = 64;

/// Indices kNowhere .. kNowhere + kScanSlack - 1 stand for elements that fall into no bin; they differ from lane to lane so
/// that counting them does not wait for one counter.
inline constexpr size_t kNowhere = 2 * 4096;

/// Reads each element once. Writes trunc(|x| * inverse_width) for every element with |x| >= 2^-40, plus 4096 for negative
/// ones, in order; zeros are left out or written as kNowhere, whichever the CPU does faster. Indices mean something only when the largest |x| is finite and fits into 4096 bins.
/// Input   count >= 1. Dispatched at run time to the widest vectors of the CPU.
BlockScan scan_block(const float* values, size_t count, float inverse_width, uint32_t* indices);

/// counters[i] += tables[4*i] + ... + tables[4*i+3], which become 0. `bins` is a multiple of 64.
void flush_tables(uint16_t* tables, uint64_t* counters, size_t bins);

}  // namespace detent
