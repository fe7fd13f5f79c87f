#include "rewrite/bias_quantizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/float_type.h"

namespace detent {

namespace {

constexpr double kLargestBiasCode = std::numeric_limits<int32_t>::max();

/// Returns for each of `count` scales the largest scale_of(|b|) of the bias elements that use it, if finite.
template <class ScaleOf>
std::vector<float> largest_scales(const Tensor& bias, size_t count, ScaleOf&& scale_of) {
  const Tensor wide = cast(bias, DataType::Float64);
  const auto values = wide.data<double>();
  std::vector<float> largest(count, 0.0F);
  for (size_t c = 0; c < values.size(); ++c)
    if (const auto scale = static_cast<float>(scale_of(std::abs(values[c]))); std::isfinite(scale))
      largest[c % count] = std::max(largest[c % count], scale);
  return largest;
}

}  // namespace

bool is_channel_bias(const Tensor& bias, size_t weight_scales) {
  const Shape& shape = bias.shape();
  if (!is_floating_point(bias.type()) || shape.rank() == 0 || weight_scales == 0) return false;
  return bias.element_count() > 0 && static_cast<size_t>(shape[shape.rank() - 1]) % weight_scales == 0;
}

Tensor spread_over_channels(const Tensor& bias, size_t weight_scales) {
  const Shape& shape = bias.shape();
  std::vector<int64_t> extents(shape.begin(), shape.end());
  if (extents.empty()) extents.push_back(1);
  if (extents.back() != 1 || !is_floating_point(bias.type())) return bias;
  extents.back() = static_cast<int64_t>(weight_scales);
  Tensor spread(bias.type(), Shape(std::span<const int64_t>(extents)));
  const size_t size = byte_size(bias.type());
  const auto* from = static_cast<const std::byte*>(bias.raw());
  auto* to = static_cast<std::byte*>(spread.mutable_raw());
  for (int64_t row = 0; row < bias.element_count(); ++row, from += size)
    for (size_t c = 0; c < weight_scales; ++c, to += size) std::copy_n(from, size, to);
  return spread;
}

std::optional<QuantizedBias> quantize_bias(const Tensor& bias, float input_scale,
                                           const std::vector<float>& weight_scale) {
  if (!is_channel_bias(bias, weight_scale.size())) return std::nullopt;
  const Tensor values = cast(bias, DataType::Float64);
  QuantizedBias result{Tensor(DataType::Int32, bias.shape()), {}};
  const bool per_tensor = weight_scale.size() == 1;
  result.qparams.type = DataType::Int32;
  result.qparams.axis = per_tensor ? -1 : static_cast<int>(bias.shape().rank()) - 1;
  auto codes = result.codes.mutable_data<int32_t>();
  const auto channels = static_cast<size_t>(bias.shape()[bias.shape().rank() - 1]);
  for (size_t c = 0; c < codes.size(); ++c) {
    // The code belongs to the stored scale, which is a float.
    const float scale = input_scale * weight_scale[c % weight_scale.size()];
    const double code = std::nearbyint(values.data<double>()[c] / static_cast<double>(scale));
    if (!(std::abs(code) <= kLargestBiasCode) || scale < std::numeric_limits<float>::min()) return std::nullopt;
    codes[c] = static_cast<int32_t>(code);
    if (c == 0 || (!per_tensor && c < channels)) result.qparams.scale.push_back(scale);
  }
  result.qparams.zero_point.assign(result.qparams.scale.size(), 0);
  return result;
}

std::vector<float> least_weight_scales(const Tensor& bias, float input_scale, size_t count, int64_t products,
                                       bool in_half) {
  const double sums = std::min(static_cast<double>(products) * 128 * 255, 0x1p30);
  // Two products and a quotient are rounded to float, each by 2^-24 at most: 2^-22 of 2^31 is kept free.
  constexpr double kLargestHalfCode = 65504 * (1 - 0x1p-9);  // both scales are rounded by 2^-11
  const double limit = in_half ? kLargestHalfCode : kLargestBiasCode - 0x1p9 - sums;
  constexpr double kLeastProduct = 2.0 * static_cast<double>(std::numeric_limits<float>::min());
  return largest_scales(
      bias, count, [&](double b) { return std::max(b / limit, kLeastProduct) / static_cast<double>(input_scale); });
}

std::vector<float> zero_weight_scales(const Tensor& bias, float input_scale, size_t count) {
  return largest_scales(bias, count, [&](double b) { return b / (static_cast<double>(input_scale) * 0x1p23); });
}

}  // namespace detent
