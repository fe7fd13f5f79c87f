#pragma once

#include <optional>
#include <vector>

#include "detent/base/qparams.h"

namespace detent {

struct QuantizedBias {
  Tensor codes;     ///< Int32, the shape of the bias
  QParams qparams;  ///< one scale per channel (the last extent), or one for all; zero points 0
};

/// True when `bias` is floating point and its last extent counts output channels, a multiple of the number of weight
/// scales. Extents in front of it are rows: a Gemm may add another bias to each.
[[nodiscard]] bool is_channel_bias(const Tensor& bias, size_t weight_scales);

/// The bias with one number a channel in its last extent, where a Gemm adds one number to all channels: rank 0 or a
/// last extent of 1. Others as they are.
[[nodiscard]] Tensor spread_over_channels(const Tensor& bias, size_t weight_scales);

/// Codes of a bias: round_half_even(b / (input_scale * weight_scale[c])) as Int32, the scales being those products.
/// weight_scale holds one number, or a divisor of the channels (grouped ConvTranspose: channel c uses scale c mod
/// count).
/// nullopt when a code would not fit 32 bits, a product is no normal float, or the bias is no channel bias.
[[nodiscard]] std::optional<QuantizedBias> quantize_bias(const Tensor& bias, float input_scale,
                                                         const std::vector<float>& weight_scale);

/// The smallest weight scales with which a bias has codes: an engine adds the code to the sum of `products` products of
/// int8 and uint8 in 32 bits, and |code| + products * 128 * 255 must not leave them (for more than 2^30 it would
/// without a bias). Raising a weight scale costs nothing that counts: a bias that large outweighs all the products
/// together.
/// Input   a channel bias. Output  `count` numbers; 0 where no scale is large enough.
[[nodiscard]] std::vector<float> least_weight_scales(const Tensor& bias, float input_scale, size_t count,
                                                     int64_t products);

/// Scales for channels whose weights are all zero, so that nothing but the bias needs them: with |b| / (input_scale *
/// 2^23) the bias keeps 23 bits, where scale 1 would round it to whole steps of the input. 0 where the bias is 0.
/// Input   a channel bias. Output  `count` numbers.
[[nodiscard]] std::vector<float> zero_weight_scales(const Tensor& bias, float input_scale, size_t count);

}  // namespace detent
