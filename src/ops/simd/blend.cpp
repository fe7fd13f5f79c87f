#include "ops/simd/blend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/blend.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes neighbouring outputs from scattered inputs of one row.
void blend_scattered(const float* in, float* out, const BlendTable& table) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t x = 0;
  for (; x + lanes <= table.count; x += lanes) {
    const auto first = hn::GatherIndex(d, in, hn::LoadU(di, table.index0 + x));
    const auto second = hn::GatherIndex(d, in, hn::LoadU(di, table.index1 + x));
    const auto sum =
        hn::Add(hn::Mul(first, hn::LoadU(d, table.weight0 + x)), hn::Mul(second, hn::LoadU(d, table.weight1 + x)));
    hn::StoreU(sum, d, out + x);
  }
  for (; x < table.count; ++x) out[x] = in[table.index0[x]] * table.weight0[x] + in[table.index1[x]] * table.weight1[x];
}

void blend_rows(const float* a, const float* b, float weight_a, float weight_b, float* out, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto wa = hn::Set(d, weight_a), wb = hn::Set(d, weight_b);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Add(hn::Mul(hn::LoadU(d, a + i), wa), hn::Mul(hn::LoadU(d, b + i), wb)), d, out + i);
  for (; i < count; ++i) out[i] = a[i] * weight_a + b[i] * weight_b;
}

void blend(const float* in, float* out, int64_t outer, int64_t extent, int64_t inner, const BlendTable& table) {
  for (int64_t o = 0; o < outer; ++o, in += extent * inner, out += table.count * inner) {
    if (inner == 1) {
      blend_scattered(in, out, table);
      continue;
    }
    for (int64_t x = 0; x < table.count; ++x)
      blend_rows(in + table.index0[x] * inner, in + table.index1[x] * inner, table.weight0[x], table.weight1[x],
                 out + x * inner, inner);
  }
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(blend);

void blend_axis_pairs(const float* in, float* out, int64_t outer, int64_t extent, int64_t inner,
                      const BlendTable& table) {
  HWY_DYNAMIC_DISPATCH(blend)(in, out, outer, extent, inner, table);
}

}  // namespace detent
#endif
