#include "core/small_float.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/index.h"

namespace detent {

namespace {

struct Entry {
  DataType type;
  SmallFloatFormat format;
};

// exponent bits, mantissa bits, bias, has -0, largest, NaN, infinity
constexpr Entry kFormats[] = {
    {DataType::Float8E4M3FN, {4, 3, 7, true, 0x7e, 0x7f, 0}},
    {DataType::Float8E4M3FNUZ, {4, 3, 8, false, 0x7f, 0x80, 0}},
    {DataType::Float8E5M2, {5, 2, 15, true, 0x7b, 0x7e, 0x7c}},
    {DataType::Float8E5M2FNUZ, {5, 2, 16, false, 0x7f, 0x80, 0}},
    {DataType::Float6E2M3, {2, 3, 1, true, 0x1f, 0, 0}},
    {DataType::Float6E3M2, {3, 2, 3, true, 0x1f, 0, 0}},
    {DataType::Float4E2M1, {2, 1, 1, true, 0x07, 0, 0}},
};

constexpr uint8_t kPowerNan = 255, kLargestPower = 254;
constexpr int kPowerBias = 127;

uint8_t sign_bit(const SmallFloatFormat& format) {
  return static_cast<uint8_t>(1U << (format.exponent_bits + format.mantissa_bits));
}

float decode_magnitude(const SmallFloatFormat& format, uint8_t bits) {
  const int exponent = bits >> format.mantissa_bits;
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  if (exponent == 0) return std::ldexp(static_cast<float>(mantissa), 1 - format.bias - format.mantissa_bits);
  return std::ldexp(static_cast<float>(mantissa + (1 << format.mantissa_bits)),
                    exponent - format.bias - format.mantissa_bits);
}

/// Returns the nearest pattern of a finite magnitude, as if exponents continued beyond the largest. Consecutive
/// patterns are consecutive values, so rounding may carry into the exponent.
int64_t nearest_pattern(const SmallFloatFormat& format, double magnitude) {
  if (magnitude == 0) return 0;
  const int lowest = 1 - format.bias;
  const int exponent = std::max(std::ilogb(magnitude), lowest);
  const double steps = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  return (static_cast<int64_t>(exponent - lowest) << format.mantissa_bits) + static_cast<int64_t>(steps);
}

}  // namespace

const SmallFloatFormat& small_float_format(DataType type) {
  for (const Entry& entry : kFormats)
    if (entry.type == type) return entry.format;
  throw Error(ErrorCode::Internal, std::string(name_of(type)) + " is no small float with a mantissa");
}

float decode(const SmallFloatFormat& format, uint8_t bits) {
  const uint8_t sign = sign_bit(format);
  const auto magnitude = static_cast<uint8_t>(bits & (sign - 1));
  const float direction = (bits & sign) ? -1.0F : 1.0F;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (!format.has_negative_zero && bits == sign) return kNan;
  if (magnitude > format.largest) {
    const bool infinite = format.infinity != 0 && magnitude == format.infinity;
    return std::copysign(infinite ? std::numeric_limits<float>::infinity() : kNan, direction);
  }
  return direction * decode_magnitude(format, magnitude);
}

const std::array<float, 256>& e4m3_numbers() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> all{};
    const SmallFloatFormat& format = small_float_format(DataType::Float8E4M3FN);
    for (size_t code = 0; code < all.size(); ++code) all[code] = decode(format, static_cast<uint8_t>(code));
    return all;
  }();
  return values;
}

uint8_t encode(const SmallFloatFormat& format, double value, bool saturate) {
  const uint8_t sign = std::signbit(value) ? sign_bit(format) : uint8_t{0};
  const auto signed_nan = static_cast<uint8_t>(format.has_negative_zero ? format.nan | sign : format.nan);
  if (std::isnan(value))
    return format.nan != 0 ? signed_nan : sign_bit(format);  // without a NaN: -0, as ml_dtypes does
  const bool clamps = saturate || format.nan == 0;
  const int64_t pattern = std::isinf(value) ? int64_t{format.largest} + 1 : nearest_pattern(format, std::abs(value));
  if (pattern > format.largest) {
    if (clamps) return static_cast<uint8_t>(format.largest | sign);
    return format.infinity != 0 ? static_cast<uint8_t>(format.infinity | sign) : signed_nan;
  }
  if (pattern == 0 && !format.has_negative_zero) return 0;
  return static_cast<uint8_t>(static_cast<uint8_t>(pattern) | sign);
}

float decode_power(uint8_t bits) {
  if (bits == kPowerNan) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0F, bits - kPowerBias);
}

uint8_t encode_power(double value, const CastOptions& options) {
  if (std::isnan(value)) return kPowerNan;
  const uint8_t above = options.saturate ? kLargestPower : kPowerNan, below = options.saturate ? 0 : kPowerNan;
  const double magnitude = std::abs(value);
  if (std::isinf(magnitude)) return above;
  if (magnitude == 0) return below;
  int exponent = 0;
  const double fraction = 2 * std::frexp(magnitude, &exponent);  // magnitude = fraction * 2^(exponent - 1), in [1, 2)
  using Rounding = CastOptions::Rounding;
  const bool up = (options.power_rounding == Rounding::Up && fraction > 1) ||
                  (options.power_rounding == Rounding::Nearest && fraction >= 1.5);
  const int biased = exponent - 1 + (up ? 1 : 0) + kPowerBias;
  if (biased > kLargestPower) return above;
  return biased < 0 ? below : static_cast<uint8_t>(biased);
}

}  // namespace detent
