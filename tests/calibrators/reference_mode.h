#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace detent {

/// Histogram of |x| as pytorch-quantization 2.x collects it: any bin width, edges rounded to float.
struct ReferenceHistogram {
  std::span<const int64_t> counts;  ///< zeros are in bin 0
  std::span<const float> edges;     ///< counts.size() + 1, ascending
};

// The rules of pytorch-quantization 2.x, bin for bin, so that our calibrators can be compared with theirs on the same
// histogram. They differ from ours on purpose (calibrators/README.md).
// All throw InvalidData when edges.size() != counts.size() + 1 or there are no counts.

/// Left edge of the first bin where the running sum of double(count)/double(total) reaches percent/100.
/// 0 < percent <= 100; the last edge when rounding keeps the sum below.
[[nodiscard]] float reference_percentile_amax(const ReferenceHistogram& histogram, double percent);

/// Edge i of the last minimum of the divergence over i = 128, 128+stride ... <= bins. levels: 128 signed, 256 unsigned.
/// The last edge when there are fewer than 128 bins.
[[nodiscard]] float reference_entropy_amax(const ReferenceHistogram& histogram, size_t levels, size_t stride);

/// Centre i of the first minimum of the error taken at bin centres over i = 128, 128+stride ... < bins.
/// levels: 127 signed, 255 unsigned. The last centre when there are fewer than 129 bins.
[[nodiscard]] float reference_mse_amax(const ReferenceHistogram& histogram, int levels, size_t stride);

}  // namespace detent
