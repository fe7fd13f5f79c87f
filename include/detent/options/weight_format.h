#pragma once

#include <cstdint>
#include <string_view>

namespace detent {

enum class WeightCodes : uint8_t { Int4, Int8 };
/// "int4", "int8": as options and JSON have it.
[[nodiscard]] constexpr std::string_view name_of(WeightCodes codes) {
  return codes == WeightCodes::Int4 ? "int4" : "int8";
}
/// "INT4", "INT8": as sentences have it.
[[nodiscard]] constexpr std::string_view title_of(WeightCodes codes) {
  return codes == WeightCodes::Int4 ? "INT4" : "INT8";
}

/// Weights of products as integers with one scale a block; activations stay float.
struct WeightFormat {
  WeightCodes codes = WeightCodes::Int4;
  /// Weights under one scale, along the axis that the product sums over: 16, 32, 64, 128, 256. 0: all of an output
  /// channel.
  int64_t block = 32;
};

}  // namespace detent
