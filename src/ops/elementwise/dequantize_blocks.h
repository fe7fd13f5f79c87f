#pragma once

#include "detent/base/tensor.h"

namespace detent {

/// Checks the shape of scales or zero points of blocks: that of the data, with one element along `axis` for each
/// `block` indices; the last block may be shorter. Errors  InvalidModel where `parameter` has another shape.
void check_block_parameter(const Shape& parameter, const Shape& data, size_t axis, int64_t block);

/// Computes real = (code - zero) * scale of the block, without one scale for each element in memory.
/// codes   integers in plain layout. scales  Float32. zero_points  of the codes' type; an empty handle: 0.
/// output  Float32 of the codes' shape, to be filled.
/// Empty   no codes -> nothing.
/// Errors  InvalidModel for parameters of another shape, Unsupported for codes that are no integers.
void dequantize_blocks(const Tensor& codes, const Tensor& scales, const Tensor& zero_points, size_t axis, int64_t block,
                       Tensor& output);

}  // namespace detent
