#include "rewrite/table_quantizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

std::optional<BlockedWeight> column_codes(const Tensor& table) {
  const Tensor wide = cast(table, DataType::Float32);
  const auto values = wide.data<float>();
  if (!is_finite(values)) return std::nullopt;
  const int64_t columns = table.shape()[table.shape().rank() - 1];
  const int64_t rows = columns == 0 ? 0 : table.element_count() / columns;
  const BlockedWeight matrix =
      quantize_blocks(table.reshaped({rows, columns}), {.codes = DataType::Int8, .block = 0, .scales = table.type()});
  const auto codes = matrix.codes.data<int8_t>();
  int64_t vanishing = 0, others = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    others += values[i] != 0;
    vanishing += values[i] != 0 && codes[i] == 0;
  }
  if (kMostVanishing * vanishing > others) return std::nullopt;
  return BlockedWeight{matrix.codes.reshaped(table.shape()), matrix.scales};
}

Tensor dequantize_table(const BlockedWeight& table) {
  Tensor result(DataType::Float32, table.codes.shape());
  const auto codes = table.codes.data<int8_t>();
  const Tensor scales = cast(table.scales, DataType::Float32);
  const auto scale_of = scales.data<float>();
  auto out = result.mutable_data<float>();
  for (size_t i = 0; i < codes.size(); ++i) out[i] = static_cast<float>(codes[i]) * scale_of[i % scale_of.size()];
  return result;
}

}  // namespace detent
