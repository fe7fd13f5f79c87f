#pragma once

#include <cstdint>
#include <string_view>

namespace detent {

/// What activations and weights are quantized to.
enum class CodeType : uint8_t {
  Int8,  ///< integers of 8 bits; whether activations have a zero point is the target's
  Fp8,   ///< float8e4m3fn: scale = amax / 448, no zero point, opset 19 at least
};
/// "INT8", "FP8".
[[nodiscard]] constexpr std::string_view name_of(CodeType type) { return type == CodeType::Fp8 ? "FP8" : "INT8"; }
/// "int8", "fp8": as options and JSON have it.
[[nodiscard]] constexpr std::string_view option_name_of(CodeType type) {
  return type == CodeType::Fp8 ? "fp8" : "int8";
}

}  // namespace detent
