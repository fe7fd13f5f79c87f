#pragma once

#include <optional>
#include <vector>

#include "detent/base/qparams.h"

namespace detent {

/// INT32 codes of a bias.
struct QuantizedBias {
  Tensor codes;     ///< Int32, the shape of the bias
  QParams qparams;  ///< one scale per channel (the last extent), or one for all; zero points 0
};

/// True when `bias` is floating point and its last extent counts output channels, a multiple of the number of weight
/// scales. The extents in front are rows: a Gemm may add another bias to each.
[[nodiscard]] bool is_channel_bias(const Tensor& bias, size_t weight_scales);

/// Spreads a bias of rank 0 or last extent 1, which a Gemm adds to all channels, to one number a channel. Returns other
/// biases unchanged.
[[nodiscard]] Tensor spread_over_channels(const Tensor& bias, size_t weight_scales);

/// Computes the codes of a bias: round_half_even(b / (input_scale * weight_scale[c])) as Int32, with those products as
/// scales. weight_scale holds one number, or a divisor of the channels (grouped ConvTranspose: channel c uses scale c
/// mod count). nullopt when a code does not fit 32 bits, a product is not a normal float, or the bias is not a channel
/// bias.
[[nodiscard]] std::optional<QuantizedBias> quantize_bias(const Tensor& bias, float input_scale,
                                                         const std::vector<float>& weight_scale);

/// Returns the smallest weight scales with which a bias has codes: an engine adds the code to the sum of `products`
/// products of int8 and uint8 in 32 bits, and |code| + products * 128 * 255 must fit (more than 2^30 products would not
/// fit even without a bias). Raising a weight scale does no harm: a bias that large outweighs all the products
/// together.
/// products  0: the sums fit no 32 bits, as those of 16-bit activations, and the code alone must fit. Such a bias is at
///           least 258 times the largest product.
/// in_half   the engine computes the codes in FP16, and |code| must be below 65504.
/// Input     a channel bias.
/// Output    `count` numbers; 0 where no scale is large enough.
/// Source    onnxruntime, quantization/qdq_quantizer.py, QDQQuantizer._adjust_weight_scale_for_int32_bias (16 bits).
[[nodiscard]] std::vector<float> least_weight_scales(const Tensor& bias, float input_scale, size_t count,
                                                     int64_t products, bool in_half = false);

/// Returns scales for channels whose weights are all zero, which only the bias needs: with |b| / (input_scale * 2^23)
/// the bias keeps 23 bits, while scale 1 would round it to whole steps of the input. 0 for a bias of 0.
/// Input   a channel bias.
/// Output  `count` numbers.
[[nodiscard]] std::vector<float> zero_weight_scales(const Tensor& bias, float input_scale, size_t count);

}  // namespace detent
