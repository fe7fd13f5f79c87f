#pragma once

#include "rewrite/block_quantizer.h"
#include "tune/refine/round_by_moments.h"

namespace detent {

/// Returns codes and scales of a weight [K, N] that keep the outputs of its layer: the cost of a column of errors e is
/// e^T H e with the moments H of the layer's inputs, damped by 1 % of the mean of their diagonal.
///
/// Starts with scales by importance (the diagonal of H) and codes by round_by_moments(). Alternates between
/// least-squares scales for the codes (over all blocks of a column) and codes for the scales, as long as a column
/// gains. The cost is never above that of `nearest`. Scales stay positive and representable.
///
/// nearest  the result of quantize_blocks().
/// Empty    moments that are all zero or not finite -> nearest.
/// Cost     about 4 times round_by_moments().
/// Source   codes: see round_by_moments(). Scales: the normal equations of the cost.
[[nodiscard]] BlockedWeight fit_blocks(const Tensor& weight, const BlockedWeight& nearest, const BlockFormat& format,
                                       const SecondMoments& moments);

}  // namespace detent
