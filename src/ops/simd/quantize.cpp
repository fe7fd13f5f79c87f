#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/simd/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/quantize.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

/// Clamps before it rounds: with integers as bounds the result is the same, and the conversion cannot overflow. NaN
/// fails both comparisons and is set to 0 first.
template <class Q>
HWY_INLINE void quantize(const float* in, Q* out, float scale, int32_t zero_point, size_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<Q, decltype(d)> dq;
  const auto low = static_cast<float>(int32_t{std::numeric_limits<Q>::min()} - zero_point);
  const auto high = static_cast<float>(int32_t{std::numeric_limits<Q>::max()} - zero_point);
  const auto divisor = hn::Set(d, scale), lowest = hn::Set(d, low), highest = hn::Set(d, high);
  // Numbers around 1.5 * 2^23 are integers; as bits they ascend by one.
  const auto rounder = hn::Set(d, 0x1.8p23F);
  const auto offset = hn::Sub(hn::BitCast(di, rounder), hn::Set(di, zero_point));
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto x = hn::Div(hn::LoadU(d, in + i), divisor);
    x = hn::IfThenElseZero(hn::Eq(x, x), x);
    const auto rounded = hn::Add(hn::Min(hn::Max(x, lowest), highest), rounder);
    hn::StoreU(hn::DemoteTo(dq, hn::Sub(hn::BitCast(di, rounded), offset)), dq, out + i);
  }
  for (; i < count; ++i) {
    const float x = in[i] / scale;
    out[i] = static_cast<Q>(zero_point +
                            static_cast<int32_t>(std::isnan(x) ? 0.0f : std::nearbyint(std::clamp(x, low, high))));
  }
}

template <class Q>
HWY_INLINE void dequantize(const Q* in, float* out, float scale, int32_t zero_point, size_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<Q, decltype(d)> dq;
  const auto factor = hn::Set(d, scale);
  const auto offset = hn::Set(di, zero_point);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto q = hn::PromoteTo(di, hn::LoadU(dq, in + i));
    hn::StoreU(hn::Mul(hn::ConvertTo(d, hn::Sub(q, offset)), factor), d, out + i);
  }
  for (; i < count; ++i) out[i] = static_cast<float>(int32_t{in[i]} - zero_point) * scale;
}

void quantize_codes(const float* in, MutableCodes out, float scale, int32_t zero_point, size_t count) {
  std::visit([&](auto* codes) { quantize(in, codes, scale, zero_point, count); }, out);
}

void dequantize_codes(ConstCodes in, float* out, float scale, int32_t zero_point, size_t count) {
  std::visit([&](const auto* codes) { dequantize(codes, out, scale, zero_point, count); }, in);
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(quantize_codes);
HWY_EXPORT(dequantize_codes);

void quantize_run(const float* in, MutableCodes out, float scale, int32_t zero_point, size_t count) {
  HWY_DYNAMIC_DISPATCH(quantize_codes)(in, out, scale, zero_point, count);
}

void dequantize_run(ConstCodes in, float* out, float scale, int32_t zero_point, size_t count) {
  HWY_DYNAMIC_DISPATCH(dequantize_codes)(in, out, scale, zero_point, count);
}

// Only biases are int32: a few thousand elements, and the difference may need 33 bits.
void dequantize_run(const int32_t* in, float* out, float scale, int32_t zero_point, size_t count) {
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(int64_t{in[i]} - zero_point) * scale;
}

}  // namespace detent
#endif
