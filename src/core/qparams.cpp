#include "detent/base/qparams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/small_float.h"

namespace detent {
namespace {

constexpr float kLargestHalf = 65504.0f;

/// Returns the FP16 number nearest to a scale. Below 2^-14, where FP16 has fewer than 11 bits, the next larger one, so
/// that the range is not cut by up to half.
float half_scale(float scale) {
  const uint16_t nearest = float_to_half(std::clamp(scale, 0x1p-24f, kLargestHalf));
  const bool cuts = half_to_float(nearest) < scale && scale < 0x1p-14f;
  return half_to_float(static_cast<uint16_t>(nearest + (cuts ? 1 : 0)));
}

/// Returns `scale` as a number of `type`: rounded, at least its smallest positive and at most its largest finite
/// number.
float representable_scale(double scale, DataType type) {
  const auto bounded = static_cast<float>(std::min(scale, static_cast<double>(std::numeric_limits<float>::max())));
  switch (type) {
    case DataType::Float32: return bounded;
    case DataType::Float16: return half_scale(bounded);
    case DataType::BFloat16: {
      constexpr float kLargestBFloat16 = 0x1.fep127f;
      return bfloat16_to_float(float_to_bfloat16(std::min(bounded, kLargestBFloat16)));
    }
    default:
      throw Error(ErrorCode::InvalidOption, "a scale cannot be stored as " + std::string(name_of(type)) +
                                                ", expected float, float16 or bfloat16");
  }
}

void check_range(const Range& range) {
  if (std::isfinite(range.min) && std::isfinite(range.max) && range.min <= range.max) return;
  throw Error(ErrorCode::InvalidData,
              "[" + std::to_string(range.min) + ", " + std::to_string(range.max) + "] is not a range to quantize",
              "a range needs two finite ends in ascending order");
}

int32_t zero_point_for(double min, float scale, int highest) {
  return static_cast<int32_t>(std::clamp(std::nearbyint(-min / scale), 0.0, static_cast<double>(highest)));
}

/// Returns the largest FP16 scale, at most `scale`, with which DequantizeLinear writes no Inf for a code of a finite
/// FP16 number: its output is FP16 too, and 127 steps of the FP16 number next to 65504 / 127 exceed the largest one.
/// furthest  furthest(scale) is the largest distance from the zero point of a code that a finite FP16 number gets
template <class Furthest>
float finite_half_scale(float scale, Furthest&& furthest) {
  constexpr double kRoundsToInf = 65520;
  const auto overflows = [&](float s) { return furthest(s) * static_cast<double>(s) >= kRoundsToInf; };
  while (overflows(scale)) scale = half_to_float(static_cast<uint16_t>(float_to_half(scale) - 1));
  return scale;
}

}  // namespace

std::span<const CodeFormat> code_formats() {
  using D = DataType;
  using R = RangeKind;
  // Opsets: ONNX docs/Changelog.md, QuantizeLinear-10, -19 and -21.
  static constexpr std::array<CodeFormat, 5> kFormats{
      {{D::Int8, R::Symmetric, 8, 10, D::Int16, D::Int8},
       {D::UInt8, R::Asymmetric, 8, 10, D::UInt16, D::Int8},
       {D::Float8E4M3FN, R::Float8, 8, 19, D::Float8E4M3FN, D::Float8E4M3FN},
       {D::Int16, R::Symmetric16, 16, 21, D::Int16, D::Int16},
       {D::UInt16, R::Asymmetric16, 16, 21, D::UInt16, D::Int16}}};
  return kFormats;
}

const CodeFormat& code_format(DataType type) {
  const auto formats = code_formats();
  if (const auto found = std::ranges::find(formats, type, &CodeFormat::type); found != formats.end()) return *found;
  throw Error(ErrorCode::InvalidOption, "values cannot be quantized to " + std::string(name_of(type)) +
                                            ", expected int8, uint8, int16, uint16 or float8e4m3fn");
}

Range joined(const Range& a, const Range& b) {
  const auto covers = [](const Range& x, const Range& y) { return x.min <= y.min && x.max >= y.max; };
  if (covers(a, b)) return a;
  return covers(b, a) ? b : Range{std::min(a.min, b.min), std::max(a.max, b.max)};
}

QParams qparams_from_range(const Range& range, const QuantType& type) {
  check_range(range);
  if (type.weight_bits < 2 || type.weight_bits > 8)
    throw Error(ErrorCode::InvalidOption,
                std::to_string(type.weight_bits) + " bits were asked for, expected 2 to 8 (stored in 8)");
  const CodeFormat& format = code_format(type.type);
  const bool shifted = is_asymmetric(format.range), is_float = format.range == RangeKind::Float8;
  const int codes = 1 << (format.bits == 8 ? type.weight_bits : format.bits);
  if ((shifted || is_float) && range.given_scale > 0 && range.given_zero_point >= 0)
    return {{representable_scale(range.given_scale, type.scale_type)}, {range.given_zero_point}, -1, type.type};
  const double given = 127.0 * range.given_scale;  // exact: 24 bits times 7
  // No FP16 value has elements beyond the largest FP16 number.
  const bool half = type.scale_type == DataType::Float16;
  const double limit = half ? kLargestHalf : std::numeric_limits<float>::max();
  const double min = given > 0 ? -given : std::clamp<double>(range.min, -limit, 0);
  const double highest = std::clamp<double>(range.max, 0, limit);
  const double max = given > 0 ? given : std::max(highest, min + static_cast<double>(type.smallest_range));
  const double amax = std::max(max, -min);
  const double scale = is_float          ? amax / kLargestE4M3
                       : shifted         ? (max - min) / (codes - 1)
                       : type.full_range ? 2 * amax / codes
                                         : amax / static_cast<double>(codes / 2 - 1);
  const bool vanishes = static_cast<float>(scale) < std::numeric_limits<float>::min();
  float stored = representable_scale(vanishes ? 1.0 : scale, type.scale_type);
  const auto zero_point = [&](float s) { return shifted ? zero_point_for(min, s, codes - 1) : int32_t{0}; };
  const auto furthest = [&](float s) -> double {
    if (is_float) return decode_e4m3(encode_e4m3(kLargestHalf / s));
    const int32_t steps = shifted ? std::max(zero_point(s), codes - 1 - zero_point(s)) : codes / 2;
    return std::min<double>(steps, std::nearbyint(kLargestHalf / s));
  };
  if (half) stored = finite_half_scale(stored, furthest);
  return {{stored}, {zero_point(stored)}, -1, type.type};
}

CodeRange code_range(DataType type) {
  switch (type) {
    case DataType::Int2: return {-2, 1};
    case DataType::UInt2: return {0, 3};
    case DataType::Int4: return {-8, 7};
    case DataType::UInt4: return {0, 15};
    case DataType::Int8: return {-128, 127};
    case DataType::UInt8: return {0, 255};
    case DataType::Int16: return {-32768, 32767};
    case DataType::UInt16: return {0, 65535};
    default:
      throw Error(ErrorCode::Unsupported, std::string(name_of(type)) + " is not a type that QuantizeLinear writes");
  }
}

int32_t quantize_element(float x, float scale, int32_t zero_point, CodeRange codes) {
  const float steps = std::nearbyint(x / scale);  // the default rounding mode rounds half to even
  if (std::isnan(steps)) return 0;
  constexpr float kBeyondEveryCode = 0x1p24f;
  const auto bounded = static_cast<int32_t>(std::clamp(steps, -kBeyondEveryCode, kBeyondEveryCode));
  return std::clamp(bounded + zero_point, codes.lowest, codes.highest);
}

}  // namespace detent
