#include "rewrite/table_quantizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rewrite/weight_quantizer.h"

namespace detent {

namespace {

constexpr float kLargestTableCode = 127;
constexpr int64_t kMostVanishing = 16;  // one of this many numbers may become 0

bool is_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float x) { return std::isfinite(x); });
}

/// Returns the smallest magnitude above 0; 1 when there is none.
float smallest(std::span<const float> values) {
  float least = std::numeric_limits<float>::infinity();
  for (const float x : values)
    if (x != 0) least = std::min(least, std::abs(x));
  return std::isfinite(least) ? least : 1;
}

}  // namespace

std::optional<BlockedWeight> exact_codes(const Tensor& table) {
  const Tensor wide = cast(table, DataType::Float32);
  const auto values = wide.data<float>();
  if (!is_finite(values)) return std::nullopt;
  const float scale = smallest(values);
  Tensor codes(DataType::Int8, table.shape());
  auto out = codes.mutable_data<int8_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    const float code = std::nearbyint(values[i] / scale);
    const bool is_negative_zero = values[i] == 0 && std::signbit(values[i]);
    if (std::abs(code) > kLargestTableCode || code * scale != values[i] || is_negative_zero) return std::nullopt;
    out[i] = static_cast<int8_t>(code);
  }
  return BlockedWeight{std::move(codes), cast(Tensor::scalar(scale), table.type())};
}

BlockedWeight channel_codes(const Tensor& weight, int axis) {
  QuantizedWeight coded = quantize_weight(weight, axis, {.range = WeightRange::Mse, .scale_type = weight.type()});
  const Tensor scales = Tensor::from<float>({std::ssize(coded.qparams.scale)}, coded.qparams.scale);
  return {std::move(coded.codes), cast(scales, weight.type())};
}

std::optional<BlockedWeight> column_codes(const Tensor& table) {
  const Tensor wide = cast(table, DataType::Float32);
  const auto values = wide.data<float>();
  if (!is_finite(values)) return std::nullopt;
  BlockedWeight coded = channel_codes(table, static_cast<int>(table.shape().rank()) - 1);
  const auto codes = coded.codes.data<int8_t>();
  int64_t vanishing = 0, others = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    others += values[i] != 0;
    vanishing += values[i] != 0 && codes[i] == 0;
  }
  if (kMostVanishing * vanishing > others) return std::nullopt;
  return coded;
}

Tensor dequantize_channels(const BlockedWeight& weight, int axis) {
  Tensor result(DataType::Float32, weight.codes.shape());
  const auto codes = weight.codes.data<int8_t>();
  const Tensor scales = cast(weight.scales, DataType::Float32);
  const auto scale_of = scales.data<float>();
  const Shape& shape = weight.codes.shape();
  const auto inner = static_cast<size_t>(shape.element_count(static_cast<size_t>(axis) + 1, shape.rank()));
  auto out = result.mutable_data<float>();
  for (size_t i = 0; i < codes.size(); ++i)
    out[i] = static_cast<float>(codes[i]) * scale_of[i / inner % scale_of.size()];
  return result;
}

Tensor dequantize_table(const BlockedWeight& table) {
  return dequantize_channels(table, static_cast<int>(table.codes.shape().rank()) - 1);
}

}  // namespace detent
