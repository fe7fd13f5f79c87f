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

/// Computes e^x to about an ulp for x from kLeastExponent on; where e^x overflows, up to kMostExponent, inf. NaN stays.
constexpr float kLeastExponent = -86.9f, kMostExponent = 89.0f;
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_within(D d, V x) {
  const hn::RebindToSigned<D> di;
  // Added to a small number, this leaves its nearest integer in the lowest bits.
  const V to_integer = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), to_integer);
  const V n = hn::Sub(shifted, to_integer);
  // ln 2 in two parts: the first has 9 bits, so that its product with n is exact.
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  // 2 e^r for |r| <= ln(2) / 2, relative error 3e-9; fitted with the first two terms fixed.
  V y = hn::Set(d, 2 * 0.0013814597623422742f);
  for (const float c :
       {0.0083687175065279f, 0.04166838899254799f, 0.1666652113199234f, 0.4999999403953552f, 1.0f, 1.0f})
    y = hn::MulAdd(y, r, hn::Set(d, 2 * c));
  // 2^(n - 1), which is finite for the n of the largest floats.
  const auto power = hn::ShiftLeft<23>(hn::Add(hn::BitCast(di, shifted), hn::Set(di, 126)));
  return hn::Mul(y, hn::BitCast(d, power));
}

/// Clamps what exp_within() takes; NaN stays.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V clamp_exponent(D d, V x) {
  const V least = hn::Set(d, kLeastExponent), most = hn::Set(d, kMostExponent);
#if HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128  // beside NaN these give their second operand
  return hn::Min(most, hn::Max(least, x));
#else
  x = hn::IfThenElse(hn::Lt(x, least), least, x);
  return hn::IfThenElse(hn::Gt(x, most), most, x);
#endif
}

/// Computes e^x; 0 below kLeastExponent, 2e-38.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_of(D d, V x) {
  const V y = exp_within(d, clamp_exponent(d, x));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, kLeastExponent)), y);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid_of(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, exp_within(d, clamp_exponent(d, hn::Neg(x)))));
}

/// Computes an odd function that is 1 in float from `bound` on, as x P(x^2) / Q(x^2). p, q  from the highest power on.
template <class D, size_t kP, size_t kQ, class V = hn::Vec<D>>
HWY_INLINE V odd_quotient(D d, V x, const float (&p)[kP], const float (&q)[kQ], float bound) {
  const V magnitude = hn::Abs(x), one = hn::Set(d, 1.0f);
  const V square = hn::Mul(x, x);
  V above = hn::Set(d, p[0]), below = hn::Set(d, q[0]);
  for (size_t i = 1; i < kP; ++i) above = hn::MulAdd(above, square, hn::Set(d, p[i]));
  for (size_t i = 1; i < kQ; ++i) below = hn::MulAdd(below, square, hn::Set(d, q[i]));
  const V y = hn::Div(hn::Mul(magnitude, above), below);
  const auto is_one = hn::Or(hn::Ge(magnitude, hn::Set(d, bound)), hn::Gt(y, one));
  return hn::CopySign(hn::IfThenElse(is_one, one, y), x);
}

/// Computes erf(x); relative error of the fit 1.9e-8, with roundings 3.3e-7.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V erf_of(D d, V x) {
  constexpr float kAbove[] = {2.050097918981919e-06f, 0.00028488252428360283f, 0.0037655895575881004f,
                              0.05274863913655281f,   0.19040577113628387f,    1.1283791065216064f};
  constexpr float kBelow[] = {3.8091813621576875e-05f, 0.0011625296901911497f, 0.014969161711633205f,
                              0.11410883069038391f,    0.5020754337310791f,    1.0f};
  return odd_quotient(d, x, kAbove, kBelow, 3.92f);
}

/// Computes tanh(x); relative error of the fit 1.3e-9, with roundings 3.0e-7.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh_of(D d, V x) {
  constexpr float kAbove[] = {-1.2246253490444392e-11f, 3.064253562001795e-08f, 2.803131428663619e-05f,
                              0.003869508160278201f,    0.13680855929851532f,   1.0f};
  constexpr float kBelow[] = {1.2890353673356003e-06f, 0.00039407136500813067f, 0.027250157669186592f,
                              0.4701418876647949f, 1.0f};
  return odd_quotient(d, x, kAbove, kBelow, 9.0f);
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
