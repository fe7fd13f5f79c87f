#pragma once

#include <cstdint>

#include "detent/tensor.h"

namespace detent {

/// A float of one byte or less: every fact in which one format differs from another.
/// Sources: "FP8 Formats for Deep Learning" (Micikevicius et al. 2022), "8-bit Numerical Formats for Deep Neural Networks"
/// (Noune et al. 2022, the FNUZ variants), OCP Microscaling Formats (MX) v1.0; encodings as in ONNX.
struct SmallFloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_negative_zero;  ///< false: the pattern of -0 is the only NaN (FNUZ)
  uint8_t largest;         ///< bits of the largest finite magnitude
  uint8_t nan;             ///< bits of NaN without sign; 0 = there is none
  uint8_t infinity;        ///< bits of infinity without sign; 0 = there is none
};

/// Errors  Internal for other types, Float8E8M0 (no mantissa, no sign) among them.
[[nodiscard]] const SmallFloatFormat& small_float_format(DataType type);

/// Value of the bits, exact in float.
[[nodiscard]] float decode(const SmallFloatFormat& format, uint8_t bits);
/// Nearest value, ties to even mantissa. Beyond the largest: the largest when `saturate` or when the format has no
/// infinity nor NaN; else infinity or, without one, NaN.
[[nodiscard]] uint8_t encode(const SmallFloatFormat& format, double value, bool saturate);

/// Float8E8M0: the biased exponent of a power of two; 255 is NaN.
[[nodiscard]] float decode_power(uint8_t bits);
/// Errors  none; the result for negative values is that of their magnitude, which ONNX leaves open.
[[nodiscard]] uint8_t encode_power(double value, const CastOptions& options);

}  // namespace detent
