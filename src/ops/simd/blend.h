#pragma once

#include <cstdint>

namespace detent {

/// The two inputs and weights of each output of blend_axis_pairs().
struct BlendTable {
  const int32_t* index0;
  const int32_t* index1;
  const float* weight0;
  const float* weight1;
  int64_t count;
};

/// Makes outer x count x inner of outer x extent x inner: out[o][x] = w0[x] in[o][i0[x]] + w1[x] in[o][i1[x]].
void blend_axis_pairs(const float* in, float* out, int64_t outer, int64_t extent, int64_t inner,
                      const BlendTable& table);

}  // namespace detent
