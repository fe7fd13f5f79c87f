#pragma once

#include <cmath>

#include "detent/base/error.h"
#include "detent/base/tensor.h"

namespace detent {

/// Factor by which a measured |max| may grow: other inputs reach further than the samples.
inline constexpr double kHeadroom = 2;

/// Range and precision of a 16-bit float type. Source: IEEE 754-2019, binary16; bfloat16 is the upper half of binary32.
struct FloatFormat {
  DataType type = DataType::Float16;
  double largest = 65504;                  ///< largest finite number
  double smallest = std::ldexp(1.0, -24);  ///< smallest number above 0; numbers below half of it become 0
  /// SQNR in dB of numbers that the type rounds in full precision: 20 log10(1.53 sqrt(12) 2^digits).
  double usual_db = 74.7;
  int digits = 10;          ///< bits of the mantissa
  bool half_scales = true;  ///< pairs of 16-bit values have 16-bit scales; false: FP32 scales between Casts

  /// Returns the SQNR in dB below which a value stays FP32. Subnormal numbers have fewer digits and lose more.
  [[nodiscard]] double least_db() const { return usual_db - 15; }
};

/// Returns the format of a type.
/// Errors  Internal for types other than Float16 and BFloat16.
[[nodiscard]] inline FloatFormat float_format(DataType type) {
  if (type == DataType::Float16) return {};
  if (type == DataType::BFloat16)
    return {DataType::BFloat16, std::ldexp(2.0 - std::ldexp(1.0, -7), 127), std::ldexp(1.0, -133), 56.6, 7, true};
  throw Error(ErrorCode::Internal, "this is no 16-bit float type");
}

}  // namespace detent
