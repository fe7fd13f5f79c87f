#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "detent/base/tensor.h"

namespace detent {

/// The facts in which the floats of one byte or less differ from each other.
/// Sources: "FP8 Formats for Deep Learning" (Micikevicius et al. 2022), "8-bit Numerical Formats for Deep Neural
/// Networks" (Noune et al. 2022, the FNUZ variants), OCP Microscaling Formats (MX) v1.0; encodings as in ONNX.
struct SmallFloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_negative_zero;  ///< false: the pattern of -0 is the only NaN (FNUZ)
  uint8_t largest;         ///< bits of the largest finite magnitude
  uint8_t nan;             ///< bits of NaN without sign; 0 = there is none
  uint8_t infinity;        ///< bits of infinity without sign; 0 = there is none
};

/// Returns the format of a type.
/// Errors  Internal for other types, including Float8E8M0 (no mantissa, no sign).
[[nodiscard]] const SmallFloatFormat& small_float_format(DataType type);

/// Returns the value of the bits, exact in float.
[[nodiscard]] float decode(const SmallFloatFormat& format, uint8_t bits);
/// Returns the nearest value, ties to even mantissa. Beyond the largest: the largest when `saturate` or when the format
/// has neither infinity nor NaN; else infinity or, without one, NaN.
[[nodiscard]] uint8_t encode(const SmallFloatFormat& format, double value, bool saturate);

/// The largest number of Float8E4M3FN.
inline constexpr float kLargestE4M3 = 448;
/// Does the same as encode() of Float8E4M3FN with saturation, for a float, without branches that prevent vectorization.
/// NaN keeps its sign, +-Inf becomes +-448.
[[nodiscard]] inline uint8_t encode_e4m3(float value) {
  constexpr uint32_t kInfinity = 0x7f800000, kLargest = std::bit_cast<uint32_t>(kLargestE4M3);
  constexpr uint32_t kLeastNormal = std::bit_cast<uint32_t>(0x1p-6F);
  constexpr float kSubnormalStep = 0x1p14F;  // floats from here to 2^15 lie 2^-9 apart, as subnormal codes do
  const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffU;
  const uint32_t bounded = magnitude < kLargest ? magnitude : kLargest;
  // Rounds half to even at 3 bits of the mantissa; a carry goes into the exponent, whose bias is 7 instead of 127.
  const uint32_t normal = ((bounded + 0x7ffffU + ((bounded >> 20) & 1U)) >> 20) - (120U << 3);
  const float shifted = std::bit_cast<float>(bounded) + kSubnormalStep;
  const uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(kSubnormalStep);
  uint32_t code = bounded < kLeastNormal ? subnormal : normal;
  code = magnitude > kInfinity ? 0x7fU : code;
  return static_cast<uint8_t>(code | ((bits >> 24) & 0x80U));
}
/// Returns decode() of Float8E4M3FN for all bits.
[[nodiscard]] const std::array<float, 256>& e4m3_numbers();
[[nodiscard]] inline float decode_e4m3(uint8_t bits) { return e4m3_numbers()[bits]; }

/// Decodes Float8E8M0, the biased exponent of a power of two; 255 is NaN.
[[nodiscard]] float decode_power(uint8_t bits);
/// Encodes Float8E8M0. A negative value gives the result of its magnitude, which ONNX leaves open.
[[nodiscard]] uint8_t encode_power(double value, const CastOptions& options);

}  // namespace detent
