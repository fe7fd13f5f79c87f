#pragma once

#include <cstdint>
#include <string_view>

namespace detent {

/// Type of integer weights.
enum class WeightCodes : uint8_t { Int4, Int8 };
/// Returns "int4" or "int8", as in options and JSON.
[[nodiscard]] constexpr std::string_view name_of(WeightCodes codes) {
  return codes == WeightCodes::Int4 ? "int4" : "int8";
}
/// Returns "INT4" or "INT8", as in sentences.
[[nodiscard]] constexpr std::string_view title_of(WeightCodes codes) {
  return codes == WeightCodes::Int4 ? "INT4" : "INT8";
}

/// Format of integer weights with one scale per block; activations stay float.
struct WeightFormat {
  WeightCodes codes = WeightCodes::Int4;
  /// Weights under one scale, along the axis that the product sums over: 16, 32, 64, 128 or 256; 0: a whole channel.
  int64_t block = 32;
};

}  // namespace detent
