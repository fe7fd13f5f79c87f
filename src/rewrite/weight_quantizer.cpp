#include "rewrite/weight_quantizer.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>

namespace detent {

namespace {

using Channel = Eigen::ArrayXf;

/// A tensor seen as outer x channels x inner; one channel and everything outer when there is no axis.
struct ChannelView {
  int64_t outer = 1, channels = 1, inner = 1;

  ChannelView(const Shape& shape, int axis) {
    if (axis < 0) {
      inner = shape.element_count();
      return;
    }
    const auto at = static_cast<size_t>(axis);
    outer = shape.element_count(0, at);
    channels = shape[at];
    inner = shape.element_count(at + 1, shape.rank());
  }

  [[nodiscard]] int64_t offset(int64_t o, int64_t channel) const { return (o * channels + channel) * inner; }
};

void gather(const float* data, const ChannelView& view, int64_t channel, Channel& out) {
  out.resize(view.outer * view.inner);
  for (int64_t o = 0; o < view.outer; ++o)
    out.segment(o * view.inner, view.inner) = Eigen::Map<const Channel>(data + view.offset(o, channel), view.inner);
}

CodeRange codes_of(int bits) { return {-(1 << (bits - 1)), (1 << (bits - 1)) - 1}; }

/// Sum of (w - w')^2 when the channel is stored with `scale`; the same arithmetic as quantize_element, many at a time.
double squared_error(const Channel& weights, float scale, CodeRange codes) {
  // Adding and taking away 1.5 * 2^23 rounds half to even while |x| < 2^22; quotients here stay below 2 * 128.
  constexpr float kRound = 0x1.8p23F;
  const auto rounded = ((weights / scale) + kRound) - kRound;
  const auto clamped = rounded.max(static_cast<float>(codes.lowest)).min(static_cast<float>(codes.highest));
  return (clamped * scale - weights).cast<double>().square().sum();
}

float scale_for(float amax, const WeightOptions& options) {
  const QuantType type{
      .type = DataType::Int8, .full_range = false, .weight_bits = options.bits, .scale_type = options.scale_type};
  return qparams_from_range({-amax, amax}, type).scale.front();
}

/// Scale of one channel: for its largest weight, or for the part of it that loses least.
float choose_scale(const Channel& weights, const WeightOptions& options) {
  const float amax = weights.size() == 0 ? 0.0F : weights.abs().maxCoeff();
  float best = scale_for(amax, options);
  if (options.range == WeightRange::Max || amax == 0) return best;
  constexpr int kSteps = 64;  // 0.8 % of amax each
  const CodeRange codes = codes_of(options.bits);
  double best_error = squared_error(weights, best, codes);
  for (int step = 1; step <= kSteps; ++step) {
    const float scale = scale_for(amax * (1 - 0.5F * static_cast<float>(step) / kSteps), options);
    const double error = squared_error(weights, scale, codes);
    if (error < best_error) {
      best_error = error;
      best = scale;
    }
  }
  return best;
}

bool is_float(DataType type) {
  return type == DataType::Float32 || type == DataType::Float64 || type == DataType::Float16 ||
         type == DataType::BFloat16;
}

}  // namespace

QuantizedWeight quantize_weight(const Tensor& weight, int axis, const WeightOptions& options) {
  if (!is_float(weight.type()) || axis >= static_cast<int>(weight.shape().rank()))
    throw Error(ErrorCode::Internal, "a weight of type " + std::string(name_of(weight.type())) + " and shape " +
                                         weight.shape().to_string() + " cannot be quantized along axis " +
                                         std::to_string(axis));
  const Tensor values = cast(weight, DataType::Float32);
  const auto data = values.data<float>();
  if (!std::ranges::all_of(data, [](float w) { return std::isfinite(w); }))
    throw Error(ErrorCode::InvalidModel, "the weight holds NaN or Inf");
  const ChannelView view(weight.shape(), axis);
  const CodeRange codes = codes_of(options.bits);
  QuantizedWeight result{Tensor(DataType::Int8, weight.shape()), {}};
  result.qparams.axis = axis;
  result.qparams.zero_point.assign(static_cast<size_t>(view.channels), 0);
  auto* out = result.codes.mutable_data<int8_t>().data();
  Channel channel;
  for (int64_t c = 0; c < view.channels; ++c) {
    gather(data.data(), view, c, channel);
    const float scale = choose_scale(channel, options);
    result.qparams.scale.push_back(scale);
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i = view.offset(o, c); i < view.offset(o, c) + view.inner; ++i)
        out[i] = static_cast<int8_t>(quantize_element(data[static_cast<size_t>(i)], scale, 0, codes));
  }
  return result;
}

std::optional<QuantizedWeight> quantize_bias(const Tensor& bias, float input_scale,
                                             const std::vector<float>& weight_scale) {
  const Shape& shape = bias.shape();
  if (!is_float(bias.type()) || shape.rank() == 0 || weight_scale.empty()) return std::nullopt;
  const auto count = static_cast<size_t>(shape[shape.rank() - 1]);
  if (static_cast<size_t>(bias.element_count()) != count || count % weight_scale.size() != 0) return std::nullopt;
  const Tensor values = cast(bias, DataType::Float64);
  QuantizedWeight result{Tensor(DataType::Int32, shape), {}};
  const bool per_tensor = weight_scale.size() == 1;
  result.qparams.type = DataType::Int32;
  result.qparams.axis = per_tensor ? -1 : static_cast<int>(shape.rank()) - 1;
  auto codes = result.codes.mutable_data<int32_t>();
  for (size_t c = 0; c < count; ++c) {
    // The scale is stored as float; the code belongs to what is stored.
    const float scale = input_scale * weight_scale[c % weight_scale.size()];
    const double code = std::nearbyint(values.data<double>()[c] / static_cast<double>(scale));
    constexpr double kLargest = std::numeric_limits<int32_t>::max();
    if (!(std::abs(code) <= kLargest) || scale < std::numeric_limits<float>::min()) return std::nullopt;
    codes[c] = static_cast<int32_t>(code);
    if (c == 0 || !per_tensor) result.qparams.scale.push_back(scale);
  }
  result.qparams.zero_point.assign(result.qparams.scale.size(), 0);
  return result;
}

}  // namespace detent
