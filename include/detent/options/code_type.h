#pragma once

#include <cstdint>
#include <string_view>

namespace detent {

/// Type of quantized activations and weights.
enum class CodeType : uint8_t {
  Int8,  ///< 8-bit integers; the target decides whether activations have a zero point
  Fp8,   ///< float8e4m3fn: scale = amax / 448, no zero point, opset >= 19
};
/// Returns "INT8" or "FP8".
[[nodiscard]] constexpr std::string_view name_of(CodeType type) { return type == CodeType::Fp8 ? "FP8" : "INT8"; }
/// Returns "int8" or "fp8", as in options and JSON.
[[nodiscard]] constexpr std::string_view option_name_of(CodeType type) {
  return type == CodeType::Fp8 ? "fp8" : "int8";
}

}  // namespace detent
