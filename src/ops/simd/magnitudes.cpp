#include "ops/simd/magnitudes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/magnitudes.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// As integers, the bits of magnitudes are in the order of the magnitudes, with Inf and NaN on top.
constexpr int32_t kAllButSign = 0x7fffffff, kInfinityBits = 0x7f800000;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V magnitude_bits(D d, const float* numbers) {
  const hn::Rebind<float, D> df;
  return hn::And(hn::BitCast(d, hn::LoadU(df, numbers)), hn::Set(d, kAllButSign));
}

bool finite(const float* numbers, size_t count) {
  const hn::ScalableTag<int32_t> d;
  const hn::CappedTag<int32_t, 1> single;
  const size_t lanes = hn::Lanes(d);
  auto largest = hn::Zero(d), other = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    largest = hn::Max(largest, magnitude_bits(d, numbers + i));
    other = hn::Max(other, magnitude_bits(d, numbers + i + lanes));
  }
  int32_t rest = 0;
  for (; i < count; ++i) {
    const int32_t bits = hn::GetLane(magnitude_bits(single, numbers + i));
    rest = bits > rest ? bits : rest;
  }
  return rest < kInfinityBits && hn::AllTrue(d, hn::Lt(hn::Max(largest, other), hn::Set(d, kInfinityBits)));
}

/// Does one step and returns the magnitudes.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V reach(D d, const float* row, float* reached) {
  const hn::Rebind<float, D> df;
  const V bits = magnitude_bits(d, row);
  const V own = hn::IfThenElseZero(hn::Lt(bits, hn::Set(d, kInfinityBits)), bits);
  hn::StoreU(hn::BitCast(df, hn::Max(own, hn::BitCast(d, hn::LoadU(df, reached)))), df, reached);
  return own;
}

float row_reach(const float* row, float* reached, size_t count) {
  const hn::ScalableTag<int32_t> d;
  const hn::CappedTag<int32_t, 1> single;
  const size_t lanes = hn::Lanes(d);
  auto largest = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) largest = hn::Max(largest, reach(d, row + i, reached + i));
  auto rest = hn::Zero(single);
  for (; i < count; ++i) rest = hn::Max(rest, reach(single, row + i, reached + i));
  const int32_t whole = hn::GetLane(hn::MaxOfLanes(d, largest)), last = hn::GetLane(rest);
  return hn::GetLane(hn::BitCast(hn::Rebind<float, decltype(single)>(), hn::Set(single, whole > last ? whole : last)));
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(finite);
HWY_EXPORT(row_reach);

bool all_finite(const float* numbers, size_t count) { return HWY_DYNAMIC_DISPATCH(finite)(numbers, count); }

float reach_of_row(const float* row, float* reached, size_t count) {
  return HWY_DYNAMIC_DISPATCH(row_reach)(row, reached, count);
}

}  // namespace detent
#endif
