#include "rewrite/weight_quantizer.h"

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "core/float_type.h"
#include "core/small_float.h"
#include "ops/simd/code_sums.h"

namespace detent {

namespace {

using Channel = Eigen::ArrayXf;

/// A tensor as outer x channels x inner; one channel with all elements when there is no axis.
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

/// Returns the numbers of `count` channels from `first` on, each in one row of memory: columns of a matrix are read
/// side by side.
std::vector<Channel> gather(const float* data, const ChannelView& view, int64_t first, int64_t count) {
  std::vector<Channel> channels(static_cast<size_t>(count), Channel(view.outer * view.inner));
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t c = 0; c < count; ++c) {
      const float* from = data + view.offset(o, first + c);
      float* to = channels[static_cast<size_t>(c)].data() + o * view.inner;
      if (view.inner == 1)
        *to = *from;  // a call for each number takes longer than the rest
      else
        std::copy_n(from, view.inner, to);
    }
  return channels;
}

std::span<const float> numbers_of(const Channel& weights) {
  return {weights.data(), static_cast<size_t>(weights.size())};
}

CodeRange codes_of(const WeightOptions& options) {
  const int32_t highest = (1 << (options.bits - 1)) - 1;
  return {options.narrow ? -highest : -highest - 1, highest};
}

float scale_for(float amax, const WeightOptions& options) {
  const QuantType type{
      .type = options.type, .full_range = false, .weight_bits = options.bits, .scale_type = options.scale_type};
  return qparams_from_range({-amax, amax}, type).scale.front();
}

/// Returns the scale that fits given codes best: the minimum of sum (q s - w)^2 over s. 0 when all codes are 0.
float fitted_scale(const Channel& weights, float scale, CodeRange codes) {
  const CodeSums sums = sums_of_codes(numbers_of(weights), scale, codes);
  return sums.squares > 0 ? static_cast<float>(sums.products / sums.squares) : 0.0F;
}

/// Search in [0.5, 1] * amax for the scale with the smallest error.
class MseSearch {
 public:
  MseSearch(const Channel& weights, float amax, const WeightOptions& options)
      : weights_(weights), amax_(amax), options_(options), codes_(codes_of(options)) {}

  float run() {
    consider(amax_);
    // With few weights the error jumps from one scale to the next; with many it is smooth, and the fit finds its foot.
    const int steps = weights_.size() < kFew ? 256 : weights_.size() < kMany ? 64 : 16;
    for (int step = 1; step <= steps; ++step)
      consider(amax_ * (1 - 0.5F * static_cast<float>(step) / static_cast<float>(steps)));
    while (consider(
        std::clamp(fitted_scale(weights_, best_, codes_) * static_cast<float>(codes_.highest), 0.5F * amax_, amax_))) {
    }
    return best_;
  }

 private:
  static constexpr Eigen::Index kFew = 2048, kMany = 16384;

  /// Tries a part of the range; returns true when its scale is better than the best so far.
  bool consider(float part) {
    const float scale = scale_for(part, options_);
    const double error = squared_code_error(numbers_of(weights_), scale, codes_);
    if (error >= best_error_) return false;
    best_error_ = error;
    best_ = scale;
    return true;
  }

  const Channel& weights_;
  float amax_;
  const WeightOptions& options_;
  CodeRange codes_;
  double best_error_ = std::numeric_limits<double>::infinity();
  float best_ = 1;
};

float choose_scale(const Channel& weights, const WeightOptions& options, float zero_scale) {
  const float amax = weights.size() == 0 ? 0.0F : weights.abs().maxCoeff();
  if (amax == 0) return zero_scale > 0 ? zero_scale : 1.0F;
  return options.range == WeightRange::Max ? scale_for(amax, options) : MseSearch(weights, amax, options).run();
}

void check_options(const WeightOptions& options) {
  if (options.type != DataType::Float8E4M3FN || (options.bits == 8 && options.range == WeightRange::Max)) return;
  throw Error(ErrorCode::InvalidOption, "FP8 weights have 8 bits and the range of their largest magnitude");
}

/// Returns the smallest number of the type of scales that is not below a positive one.
float rounded_up(float number, DataType type) {
  if (!is_half(type)) return number;
  const bool half = type == DataType::Float16;
  uint16_t bits = half ? float_to_half(number) : float_to_bfloat16(number);
  const auto stored = [&] { return half ? half_to_float(bits) : bfloat16_to_float(bits); };
  if (stored() < number) ++bits;
  return stored();
}

/// The weights of each output, pair by pair.
class Pairs {
 public:
  Pairs(const Tensor& values, const WeightOptions& options)
      : data_(values.data<float>()), offsets_(pair_offsets(values.shape(), options.safe_pairs)),
        outputs_(values.shape(), options.safe_pairs), scale_type_(options.scale_type) {}

  [[nodiscard]] bool empty() const { return offsets_.empty(); }

  /// Returns `scale`, raised for the output at `channel` of the axis of scales, or for all outputs when one scale
  /// serves them. It is one of the type of scales.
  [[nodiscard]] float safe_scale(float scale, int64_t channel, bool one_for_all) {
    float safe = raised(scale, channel, one_for_all);
    while (is_half(scale_type_)) {
      const float stored = rounded_up(safe, scale_type_);
      safe = raised(stored, channel, one_for_all);
      if (safe == stored) break;
    }
    return safe;
  }

 private:
  [[nodiscard]] float raised(float scale, int64_t channel, bool one_for_all) {
    const int64_t first = one_for_all ? 0 : channel, last = one_for_all ? outputs_.count : channel + 1;
    for (int64_t o = first; o < last; ++o) {
      weights_.clear();
      for (const int64_t offset : offsets_)
        weights_.push_back(offset < 0 ? 0.0F : data_[static_cast<size_t>(o * outputs_.step + offset)]);
      scale = least_safe_scale(weights_, scale);
    }
    return scale;
  }

  std::span<const float> data_;
  std::vector<int64_t> offsets_;
  PairOutputs outputs_;
  DataType scale_type_;
  std::vector<float> weights_;
};

/// Returns an element of one of the lists of WeightOptions; 0 when the list is empty.
float at_or_zero(const std::vector<float>& list, int64_t i) {
  return list.empty() ? 0.0F : list.at(static_cast<size_t>(i));
}

/// Returns the least scale of a channel that the file can hold; 0 where any will do.
float least_scale(const WeightOptions& options, int64_t channel) {
  const float least = at_or_zero(options.least_scale, channel);
  return least > 0 ? rounded_up(least, options.scale_type) : 0.0F;
}

/// Returns codes from the smallest number to the largest, with one scale and a zero point.
QuantizedWeight quantize_asymmetric(const Tensor& values, const WeightOptions& options) {
  const auto numbers = values.data<float>();
  Range range;
  for (const float number : numbers) range = {std::min(range.min, number), std::max(range.max, number)};
  QuantizedWeight result{Tensor(DataType::UInt8, values.shape()), {}};
  result.zero_channels = range.amax() == 0;
  const QuantType type{.type = DataType::UInt8, .scale_type = options.scale_type};
  result.qparams = qparams_from_range(range, type);
  const float zero_scale = at_or_zero(options.zero_scale, 0), least = least_scale(options, 0);
  float& scale = result.qparams.scale.front();
  if (range.amax() == 0 && zero_scale > 0) scale = zero_scale;
  if (const float given = at_or_zero(options.given_scale, 0); given > 0)
    scale = given, result.qparams.zero_point.front() = options.given_point;
  if (scale < least) {
    ++result.raised;
    scale = least;
    if (range.amax() > 0)
      result.qparams.zero_point.front() = quantize_element(-range.min, least, 0, code_range(DataType::UInt8));
  }
  auto codes = result.codes.mutable_data<uint8_t>();
  for (size_t i = 0; i < numbers.size(); ++i)
    codes[i] = static_cast<uint8_t>(
        quantize_element(numbers[i], scale, result.qparams.zero_point.front(), code_range(DataType::UInt8)));
  return result;
}

/// Calls `work` with each element's place, in the order of memory, and its channel's number.
void for_each_channel(const ChannelView& view, std::span<const float> numbers, const auto& work) {
  const auto channels = static_cast<size_t>(view.channels), inner = static_cast<size_t>(view.inner);
  for (size_t o = 0; o < static_cast<size_t>(view.outer); ++o) {
    const size_t first = o * channels * inner;
    if (inner == 1)
      for (size_t c = 0; c < channels; ++c) work(first + c, numbers[c]);
    else
      for (size_t c = 0; c < channels; ++c)
        for (size_t i = first + c * inner; i < first + (c + 1) * inner; ++i) work(i, numbers[c]);
  }
}

/// Computes quantize_element() of a number that is finite, with zero point 0, in a way that vectors do, too: numbers
/// around 1.5 * 2^23 are integers, and as bits they ascend by one.
uint8_t code_of(float x, float scale, CodeRange codes) {
  constexpr float kRounder = 0x1.8p23F;
  const float steps = std::clamp(x / scale, static_cast<float>(codes.lowest), static_cast<float>(codes.highest));
  return static_cast<uint8_t>(std::bit_cast<int32_t>(steps + kRounder) - std::bit_cast<int32_t>(kRounder));
}

}  // namespace

QuantizedWeight quantize_weight(const Tensor& weight, int axis, const WeightOptions& options) {
  if (!is_floating_point(weight.type()) || axis >= static_cast<int>(weight.shape().rank()))
    throw Error(ErrorCode::Internal, "a weight of type " + std::string(name_of(weight.type())) + " and shape " +
                                         weight.shape().to_string() + " cannot be quantized along axis " +
                                         std::to_string(axis));
  const Tensor values = cast(weight, DataType::Float32);
  const auto data = values.data<float>();
  if (!std::ranges::all_of(data, [](float w) { return std::isfinite(w); }))
    throw Error(ErrorCode::InvalidModel, "the weight holds NaN or Inf");
  check_options(options);
  if (options.type == DataType::UInt8) return quantize_asymmetric(values, options);
  const ChannelView view(weight.shape(), axis);
  const bool floats = options.type == DataType::Float8E4M3FN;
  const CodeRange codes = codes_of(options);
  QuantizedWeight result{Tensor(options.type, weight.shape()), {}};
  result.qparams.type = options.type;
  result.qparams.axis = axis;
  result.qparams.zero_point.assign(static_cast<size_t>(view.channels), 0);
  auto* out = static_cast<uint8_t*>(result.codes.mutable_raw());
  Pairs pairs(values, options);
  std::vector<Channel> side_by_side;
  constexpr int64_t kSideBySide = 16;  // floats of a cache line
  for (int64_t c = 0; c < view.channels; ++c) {
    if (c % kSideBySide == 0) side_by_side = gather(data.data(), view, c, std::min(kSideBySide, view.channels - c));
    const Channel& channel = side_by_side[static_cast<size_t>(c % kSideBySide)];
    const float given = at_or_zero(options.given_scale, c);
    const float chosen = given > 0 ? given : choose_scale(channel, options, at_or_zero(options.zero_scale, c));
    float scale = std::max(chosen, least_scale(options, c));
    result.raised += scale > chosen;
    if (!pairs.empty()) {
      const float safe = pairs.safe_scale(scale, c, axis < 0);
      result.made_safe += safe > scale;
      result.safe_factors += static_cast<double>(safe) / static_cast<double>(scale);
      scale = safe;
    }
    result.zero_channels += channel.size() == 0 || channel.abs().maxCoeff() == 0;
    result.qparams.scale.push_back(scale);
  }
  const std::span<const float> scales = result.qparams.scale;
  if (floats)
    for_each_channel(view, scales, [&](size_t i, float scale) { out[i] = encode_e4m3(data[i] / scale); });
  else
    for_each_channel(view, scales, [&](size_t i, float scale) { out[i] = code_of(data[i], scale, codes); });
  return result;
}

}  // namespace detent
