#include "ops/simd/half.h"

#include "detent/base/tensor.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/half.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

void widen(const uint16_t* in, float* out, size_t count) {
  size_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3  // below, Highway emulates the conversion
  const hn::ScalableTag<float> d;
  const hn::Rebind<uint16_t, decltype(d)> bits;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  for (const size_t lanes = hn::Lanes(d); i + lanes <= count; i += lanes)
    hn::StoreU(hn::PromoteTo(d, hn::BitCast(half, hn::LoadU(bits, in + i))), d, out + i);
#endif
  for (; i < count; ++i) out[i] = half_to_float(in[i]);
}

void narrow(const float* in, uint16_t* out, size_t count) {
  size_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const hn::ScalableTag<float> d;
  const hn::Rebind<uint16_t, decltype(d)> bits;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  for (const size_t lanes = hn::Lanes(d); i + lanes <= count; i += lanes)
    hn::StoreU(hn::BitCast(bits, hn::DemoteTo(half, hn::LoadU(d, in + i))), bits, out + i);
#endif
  for (; i < count; ++i) out[i] = float_to_half(in[i]);
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(widen);
HWY_EXPORT(narrow);

void halves_to_floats(const uint16_t* in, float* out, size_t count) { HWY_DYNAMIC_DISPATCH(widen)(in, out, count); }
void floats_to_halves(const float* in, uint16_t* out, size_t count) { HWY_DYNAMIC_DISPATCH(narrow)(in, out, count); }

}  // namespace detent
#endif
