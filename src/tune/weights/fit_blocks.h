#pragma once

#include "rewrite/block_quantizer.h"
#include "tune/refine/second_moments.h"

namespace detent {

/// Codes and scales of a weight [K, N] that keep the outputs of its layer: for each column of errors e the cost is e^T
/// H e with the moments H of the layer's inputs, damped by 1 % of the mean of their diagonal.
///
/// First scales by importance (the diagonal of H) and codes by round_by_moments(). Then, in turn, the scales that fit
/// these codes best (least squares over all blocks of a column) and codes for these scales, as long as a column gains.
/// The cost is never above that of `nearest`. Scales stay positive and representable.
///
/// nearest  what quantize_blocks() made of the weight.
/// Empty    moments that are all zero or not finite -> nearest.
/// Cost     about 4 times round_by_moments().
/// Source   codes: see round_by_moments(). Scales: the normal equations of the cost.
[[nodiscard]] BlockedWeight fit_blocks(const Tensor& weight, const BlockedWeight& nearest, const BlockFormat& format,
                                       const SecondMoments& moments);

}  // namespace detent
