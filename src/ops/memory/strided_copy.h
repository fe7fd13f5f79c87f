#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/memory/memory_order.h"

namespace detent {

/// A loop of a copy between two memories; strides in elements, negative or zero allowed on the reading side.
struct CopyLoop {
  int64_t extent = 1;
  int64_t in_stride = 0;
  int64_t out_stride = 0;
};

/// Copies elements of `bytes` bytes (1, 2, 4 or 8) along the loop nest, outermost first. Every output element is
/// written once; the memories must not overlap. Transpose, Slice, Expand, Concat ... are all this copy.
void copy_strided(const void* in, void* out, size_t bytes, std::vector<CopyLoop> loops);

/// Returns a table for gather_axis, all 0.
/// Errors  InvalidData when its memory (24 bytes an entry, with those of the copy) is beyond --max-memory.
[[nodiscard]] std::vector<int64_t> axis_table(int64_t extent);

/// Gathers elements along an axis: out[o][i] = in[o][table[i]], or `fill` where table[i] < 0. `view` is that of `in`;
/// the extent of `out` is table.size(). fill  points to one element.
void gather_axis(const void* in, void* out, size_t bytes, const AxisView& view, const std::vector<int64_t>& table,
                 const void* fill);
/// Returns `tensor` with the elements that `table` lists along `axis`, in the same layout.
[[nodiscard]] Tensor gathered(const Tensor& tensor, size_t axis, const std::vector<int64_t>& table, const void* fill,
                              Allocator& allocator);

}  // namespace detent
