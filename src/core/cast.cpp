#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/small_float.h"
#include "detent/base/tensor.h"

namespace detent {

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {  // zero and denormals: mantissa * 2^-24, exact in float
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);   // NaN
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to 2^16 or more: infinity
  if (magnitude < 0x38800000u) {  // below 2^-14: a denormal half counts steps of 2^-24; nearbyint rounds half to even
    const float steps = std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f);
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(steps));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

float bfloat16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t float_to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

namespace {

template <class T>
struct Plain {
  using Storage = T;
  T load(T value) const { return value; }
  template <class From>
  T store(From value) const {
    if constexpr (std::is_same_v<T, bool>)
      return value != From{0};
    else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<T>)
      return truncate<T>(static_cast<double>(value));
    else
      return static_cast<T>(value);
  }
  /// Out-of-range numbers and NaN are undefined in ONNX; here they wrap through int64 as x86 conversions do, without
  /// trapping.
  template <class Integer>
  static Integer truncate(double value) {
    if (!(value >= -0x1p63 && value < 0x1p63)) {
      if constexpr (std::is_same_v<Integer, uint64_t>)
        if (value >= 0x1p63 && value < 0x1p64) return static_cast<uint64_t>(value);
      return static_cast<Integer>(std::numeric_limits<int64_t>::min());
    }
    return static_cast<Integer>(static_cast<int64_t>(value));
  }
};
/// An integer of `kBits` bits in a byte: the higher bits are dropped, as ONNX does between integers.
template <class T, int kBits>
struct Packed {
  using Storage = T;
  T load(T value) const { return value; }
  template <class From>
  T store(From value) const {
    const auto bits = static_cast<int>(Plain<int8_t>().store(value)) & ((1 << kBits) - 1);
    return static_cast<T>(std::is_signed_v<T> && bits >> (kBits - 1) ? bits - (1 << kBits) : bits);
  }
};
/// A float of one byte or less with a mantissa.
struct Small {
  using Storage = uint8_t;
  const SmallFloatFormat& format;
  bool saturate;
  float load(uint8_t bits) const { return decode(format, bits); }
  template <class From>
  uint8_t store(From value) const {
    return encode(format, static_cast<double>(value), saturate);
  }
};
/// Float8E8M0.
struct Power {
  using Storage = uint8_t;
  const CastOptions& options;
  float load(uint8_t bits) const { return decode_power(bits); }
  template <class From>
  uint8_t store(From value) const {
    return encode_power(static_cast<double>(value), options);
  }
};
/// Returns a float such that no float16 lies between it and `value`: rounding it again rounds `value` itself (round to
/// odd, S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  if (back == value || !std::isfinite(nearest)) return nearest;  // NaN is no number either
  const bool outwards = std::abs(back) > std::abs(value);
  return std::bit_cast<float>((std::bit_cast<uint32_t>(nearest) - (outwards ? 1U : 0U)) | 1U);
}
struct Half {
  using Storage = uint16_t;
  float load(uint16_t bits) const { return half_to_float(bits); }
  template <class From>
  uint16_t store(From value) const {
    if constexpr (std::is_same_v<From, double>) return float_to_half(rounded_to_odd(value));
    return float_to_half(static_cast<float>(value));
  }
};
struct Brain {
  using Storage = uint16_t;
  float load(uint16_t bits) const { return bfloat16_to_float(bits); }
  template <class From>
  uint16_t store(From value) const {
    return float_to_bfloat16(static_cast<float>(value));
  }
};

template <class Visitor>
void visit_type(DataType type, const CastOptions& options, Visitor&& visitor) {
  if (type == DataType::Float8E8M0) return visitor(Power{options});
  if (is_small_float(type)) return visitor(Small{small_float_format(type), options.saturate});
  switch (type) {
    case DataType::Float32: return visitor(Plain<float>{});
    case DataType::Float64: return visitor(Plain<double>{});
    case DataType::Float16: return visitor(Half{});
    case DataType::BFloat16: return visitor(Brain{});
    case DataType::Int8: return visitor(Plain<int8_t>{});
    case DataType::Int4: return visitor(Packed<int8_t, 4>{});
    case DataType::Int2: return visitor(Packed<int8_t, 2>{});
    case DataType::Int16: return visitor(Plain<int16_t>{});
    case DataType::Int32: return visitor(Plain<int32_t>{});
    case DataType::Int64: return visitor(Plain<int64_t>{});
    case DataType::UInt8: return visitor(Plain<uint8_t>{});
    case DataType::UInt4: return visitor(Packed<uint8_t, 4>{});
    case DataType::UInt2: return visitor(Packed<uint8_t, 2>{});
    case DataType::UInt16: return visitor(Plain<uint16_t>{});
    case DataType::UInt32: return visitor(Plain<uint32_t>{});
    case DataType::UInt64: return visitor(Plain<uint64_t>{});
    case DataType::Bool: return visitor(Plain<bool>{});
    default: throw Error(ErrorCode::Unsupported, "cannot cast tensors of type " + std::string(name_of(type)));
  }
}

}  // namespace

Tensor cast(const Tensor& tensor, DataType type, Allocator& allocator, const CastOptions& options) {
  if (tensor.type() == type) return tensor;
  Tensor result(type, tensor.shape(), allocator, tensor.layout());
  visit_type(tensor.type(), options, [&](auto from) {
    visit_type(type, options, [&](auto to) {
      const auto* in = static_cast<const typename decltype(from)::Storage*>(tensor.raw());
      auto* out = static_cast<typename decltype(to)::Storage*>(result.mutable_raw());
      const int64_t n = tensor.element_count();
      for (int64_t i = 0; i < n; ++i) out[i] = to.store(from.load(in[i]));
    });
  });
  return result;
}

}  // namespace detent
