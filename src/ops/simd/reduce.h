#pragma once

#include <cstdint>

namespace detent {

enum class ReduceFunction : uint8_t { Sum, Max, Min, Prod, SumAbs, SumSquare };

/// Reduces memory of outer x reduced x inner elements to outer x inner. Sums run in vector lanes and in blocks, so that
/// the rounding error grows with the square root of the block count. reduced == 0 gives the neutral element.
void reduce_run(ReduceFunction function, const float* in, float* out, int64_t outer, int64_t reduced, int64_t inner);

enum class SoftmaxFunction : uint8_t { Softmax, LogSoftmax };

/// Applies the function along the axis of outer x axis x inner elements. in == out is fine.
void softmax_run(SoftmaxFunction function, const float* in, float* out, int64_t outer, int64_t axis, int64_t inner);

}  // namespace detent
