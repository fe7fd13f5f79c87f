// Vector functions shared by the files that are compiled once per instruction set; included after highway.h, inside
// foreach_target's repetition.
#if defined(DETENT_OPS_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DETENT_OPS_SIMD_MATH_INL_H_
#undef DETENT_OPS_SIMD_MATH_INL_H_
#else
#define DETENT_OPS_SIMD_MATH_INL_H_
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes exp(x); Highway's Exp is undefined above its range and gives 0 for NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_of(D d, V x) {
  const V overflow = hn::Set(d, 88.72283935546875f);  // the largest float whose exponential is finite
  V y = hn::Exp(d, hn::Min(x, overflow));
  y = hn::IfThenElse(hn::Gt(x, overflow), hn::Set(d, __builtin_inff()), y);
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid_of(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, exp_of(d, hn::Neg(x))));
}

/// Computes erf(x). |x| < 1: Maclaurin series, next term below 2^-27. Else Abramowitz and Stegun 7.1.26, absolute error
/// 1.5e-7 where erf > 0.84.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V erf_of(D d, V x) {
  const V magnitude = hn::Abs(x);
  const V square = hn::Mul(x, x);
  constexpr float kSeries[] = {1.0f,        -1.0f / 3,     1.0f / 10,     -1.0f / 42,      1.0f / 216,     -1.0f / 1320,
                               1.0f / 9360, -1.0f / 75600, 1.0f / 685440, -1.0f / 6894720, 1.0f / 76204800};
  V series = hn::Set(d, kSeries[10]);
  for (int i = 9; i >= 0; --i) series = hn::MulAdd(series, square, hn::Set(d, kSeries[i]));
  series = hn::Mul(series, hn::Mul(x, hn::Set(d, 1.12837916709551257f)));

  const V one = hn::Set(d, 1.0f);
  const V t = hn::Div(one, hn::MulAdd(magnitude, hn::Set(d, 0.3275911f), one));
  V tail = hn::Set(d, 1.061405429f);
  for (const float c : {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f})
    tail = hn::MulAdd(tail, t, hn::Set(d, c));
  tail = hn::Sub(one, hn::Mul(hn::Mul(tail, t), exp_of(d, hn::Neg(square))));
  const V far = hn::CopySign(tail, x);
  return hn::IfThenElse(hn::Lt(magnitude, one), series, hn::IfThenElse(hn::Eq(x, x), far, x));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh_of(D d, V x) {
  const V bound = hn::Set(d, 10.0f);  // tanh(10) rounds to 1
  const V y = hn::Tanh(d, hn::Max(hn::Min(x, bound), hn::Neg(bound)));
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

/// Computes exp(x) - 1 for x <= 0; the caller replaces the result for x > 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1_of_negative(D d, V x) {
  const V y = hn::Expm1(d, hn::Max(hn::Min(x, hn::Zero(d)), hn::Set(d, -90.0f)));
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
