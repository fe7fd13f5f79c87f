#pragma once

#include <cstdint>
#include <string_view>

namespace detent {

/// Type of quantized activations and weights.
enum class CodeType : uint8_t {
  Int8,  ///< 8-bit integers; the target decides whether activations have a zero point
  Fp8,   ///< float8e4m3fn: scale = amax / 448, no zero point, opset >= 19
  A16W8  ///< activations of 16-bit integers, weights of 8-bit ones; --activation int16 or uint16 makes it of Int8
};
/// Returns "INT8", "FP8" or "A16W8".
[[nodiscard]] constexpr std::string_view name_of(CodeType type) {
  return type == CodeType::Fp8 ? "FP8" : type == CodeType::A16W8 ? "A16W8" : "INT8";
}
/// Returns "int8", "fp8" or "a16w8", as in options and JSON.
[[nodiscard]] constexpr std::string_view option_name_of(CodeType type) {
  return type == CodeType::Fp8 ? "fp8" : type == CodeType::A16W8 ? "a16w8" : "int8";
}

}  // namespace detent
