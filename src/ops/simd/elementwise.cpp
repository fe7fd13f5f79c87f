#include "ops/simd/elementwise.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/elementwise.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;
constexpr size_t kMostLanes = 16;  // 512 bits

/// Applies f; the last, partial vector goes through a padded copy, so that every element sees the same instructions.
template <class F>
HWY_INLINE void map(const float* in, float* out, size_t count, F f) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(f(d, hn::LoadU(d, in + i)), d, out + i);
  if (i == count) return;
  float rest[kMostLanes] = {};
  for (size_t j = i; j < count; ++j) rest[j - i] = in[j];
  hn::StoreU(f(d, hn::LoadU(d, rest)), d, rest);
  for (size_t j = i; j < count; ++j) out[j] = rest[j - i];
}

HWY_INLINE Vector constant(float value) { return hn::Set(Tag(), value); }

/// Returns x > 0 ? above : below; `below` for NaN.
HWY_INLINE Vector by_sign(Vector x, Vector above, Vector below) {
  return hn::IfThenElse(hn::Gt(x, hn::Zero(Tag())), above, below);
}

/// Returns max(low, min(high, x)); NaN stays NaN.
HWY_INLINE Vector clamp(Vector x, Vector low, Vector high) {
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Gt(x, high), high, x);
}

bool apply_rectifier(const UnarySpec& spec, const float* in, float* out, size_t count) {
  const Vector alpha = constant(spec.alpha), beta = constant(spec.beta), zero = hn::Zero(Tag()), one = constant(1);
  switch (spec.function) {
    case UnaryFunction::Relu:
      map(in, out, count, [&](Tag, Vector x) { return hn::IfThenElse(hn::Lt(x, zero), zero, x); });
      return true;
    case UnaryFunction::LeakyRelu:
      map(in, out, count, [&](Tag, Vector x) { return by_sign(x, x, hn::Mul(x, alpha)); });
      return true;
    case UnaryFunction::ThresholdedRelu:
      map(in, out, count, [&](Tag, Vector x) { return hn::IfThenElse(hn::Le(x, alpha), zero, x); });
      return true;
    case UnaryFunction::Clip: map(in, out, count, [&](Tag, Vector x) { return clamp(x, alpha, beta); }); return true;
    case UnaryFunction::HardSigmoid:
      map(in, out, count, [&](Tag, Vector x) { return clamp(hn::Add(hn::Mul(x, alpha), beta), zero, one); });
      return true;
    case UnaryFunction::HardSwish:
      map(in, out, count, [&](Tag, Vector x) {
        return hn::Mul(x, clamp(hn::Add(hn::Mul(x, constant(1.0f / 6)), constant(0.5f)), zero, one));
      });
      return true;
    case UnaryFunction::Elu:
      map(in, out, count, [&](Tag d, Vector x) { return by_sign(x, x, hn::Mul(alpha, expm1_of_negative(d, x))); });
      return true;
    case UnaryFunction::Celu: {
      const Vector inverse = constant(1 / spec.alpha);
      map(in, out, count,
          [&](Tag d, Vector x) { return by_sign(x, x, hn::Mul(alpha, expm1_of_negative(d, hn::Mul(x, inverse)))); });
      return true;
    }
    case UnaryFunction::Selu:
      map(in, out, count,
          [&](Tag d, Vector x) { return hn::Mul(beta, by_sign(x, x, hn::Mul(alpha, expm1_of_negative(d, x)))); });
      return true;
    default: return false;
  }
}

/// Computes log(1 + e^x) = max(x, 0) + log1p(e^-|x|)
HWY_INLINE Vector softplus(Tag d, Vector x) {
  const Vector small = hn::Log1p(d, exp_of(d, hn::Neg(hn::Abs(x))));
  const Vector y = hn::Add(hn::Max(x, hn::Zero(d)), small);
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

/// Computes x tanh(softplus(x)): tanh(softplus(x)) = n / (n + 2) with n = e^x (e^x + 2); from x = 20 on it is 1 in
/// float.
HWY_INLINE Vector mish(Tag d, Vector x) {
  const Vector e = exp_of(d, hn::Min(x, constant(20)));
  const Vector n = hn::Mul(e, hn::Add(e, constant(2)));
  const Vector y = hn::Mul(x, hn::Div(n, hn::Add(n, constant(2))));
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

HWY_INLINE Vector gelu_tanh(Tag d, Vector x) {
  const Vector cubic = hn::MulAdd(hn::Mul(constant(0.044715f), hn::Mul(x, x)), x, x);
  const Vector t = tanh_of(d, hn::Mul(constant(0.7978845608028654f), cubic));
  return hn::Mul(hn::Mul(constant(0.5f), x), hn::Add(constant(1), t));
}

bool apply_smooth(const UnarySpec& spec, const float* in, float* out, size_t count) {
  const Vector alpha = constant(spec.alpha), one = constant(1);
  switch (spec.function) {
    case UnaryFunction::Sigmoid: map(in, out, count, [&](Tag d, Vector x) { return sigmoid_of(d, x); }); return true;
    case UnaryFunction::Silu:
      map(in, out, count, [&](Tag d, Vector x) { return hn::Mul(x, sigmoid_of(d, hn::Mul(alpha, x))); });
      return true;
    case UnaryFunction::Tanh: map(in, out, count, [&](Tag d, Vector x) { return tanh_of(d, x); }); return true;
    case UnaryFunction::Softplus: map(in, out, count, [&](Tag d, Vector x) { return softplus(d, x); }); return true;
    case UnaryFunction::Softsign:
      map(in, out, count, [&](Tag, Vector x) { return hn::Div(x, hn::Add(one, hn::Abs(x))); });
      return true;
    case UnaryFunction::Mish: map(in, out, count, [&](Tag d, Vector x) { return mish(d, x); }); return true;
    case UnaryFunction::Gelu:
      map(in, out, count, [&](Tag d, Vector x) {
        const Vector e = erf_of(d, hn::Mul(x, constant(0.70710678118654752f)));
        return hn::Mul(hn::Mul(constant(0.5f), x), hn::Add(one, e));
      });
      return true;
    case UnaryFunction::GeluTanh: map(in, out, count, [&](Tag d, Vector x) { return gelu_tanh(d, x); }); return true;
    case UnaryFunction::Erf: map(in, out, count, [&](Tag d, Vector x) { return erf_of(d, x); }); return true;
    case UnaryFunction::Exp: map(in, out, count, [&](Tag d, Vector x) { return exp_of(d, x); }); return true;
    default: return false;
  }
}

/// Computes log(x); Highway's Log is for positive finite numbers.
HWY_INLINE Vector log_of(Tag d, Vector x) {
  const Vector infinity = constant(std::numeric_limits<float>::infinity());
  Vector y = hn::Log(d, x);
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), y);
  y = hn::IfThenElse(hn::Eq(x, infinity), infinity, y);
  return hn::IfThenElse(hn::Ge(x, hn::Zero(d)), y, constant(std::numeric_limits<float>::quiet_NaN()));
}

void apply_plain(const UnarySpec& spec, const float* in, float* out, size_t count) {
  const Vector zero = hn::Zero(Tag()), one = constant(1);
  switch (spec.function) {
    case UnaryFunction::Log: return map(in, out, count, [&](Tag d, Vector x) { return log_of(d, x); });
    case UnaryFunction::Sqrt: return map(in, out, count, [&](Tag, Vector x) { return hn::Sqrt(x); });
    case UnaryFunction::Reciprocal: return map(in, out, count, [&](Tag, Vector x) { return hn::Div(one, x); });
    case UnaryFunction::Abs: return map(in, out, count, [&](Tag, Vector x) { return hn::Abs(x); });
    case UnaryFunction::Neg: return map(in, out, count, [&](Tag, Vector x) { return hn::Neg(x); });
    case UnaryFunction::Floor: return map(in, out, count, [&](Tag, Vector x) { return hn::Floor(x); });
    case UnaryFunction::Ceil: return map(in, out, count, [&](Tag, Vector x) { return hn::Ceil(x); });
    case UnaryFunction::Round: return map(in, out, count, [&](Tag, Vector x) { return hn::Round(x); });
    case UnaryFunction::Sign:
      return map(in, out, count, [&](Tag, Vector x) {
        const Vector y = hn::IfThenElse(hn::Lt(x, zero), hn::Neg(one), x);
        return hn::IfThenElse(hn::Gt(x, zero), one, y);
      });
    // The range reduction of Highway's Sin and Cos ends near 39000.
    case UnaryFunction::Sin:
      for (size_t i = 0; i < count; ++i) out[i] = std::sin(in[i]);
      return;
    case UnaryFunction::Cos:
      for (size_t i = 0; i < count; ++i) out[i] = std::cos(in[i]);
      return;
    default: return;
  }
}

void unary(const UnarySpec& spec, const float* in, float* out, size_t count) {
  if (!apply_rectifier(spec, in, out, count) && !apply_smooth(spec, in, out, count)) apply_plain(spec, in, out, count);
}

/// A row of numbers, or one number for the whole row.
struct RowOperand {
  const float* values;
  bool one;
};

/// Computes a row of a binary function. The operations are exact to the bit in any vector width, so single lanes may
/// end the row.
template <class F>
HWY_INLINE void binary_row(const RowOperand& left, const RowOperand& right, float* out, int64_t length, F f) {
  const auto [a, one_a] = left;
  const auto [b, one_b] = right;
  const Tag d;
  const hn::CappedTag<float, 1> single;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (one_b && !one_a) {
    const Vector second = hn::Set(d, *b);
    for (; i + lanes <= length; i += lanes) hn::StoreU(f(d, hn::LoadU(d, a + i), second), d, out + i);
  } else if (one_a && !one_b) {
    const Vector first = hn::Set(d, *a);
    for (; i + lanes <= length; i += lanes) hn::StoreU(f(d, first, hn::LoadU(d, b + i)), d, out + i);
  } else if (!one_a) {
    for (; i + lanes <= length; i += lanes) hn::StoreU(f(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  }
  const float first = one_a && length > 0 ? *a : 0, second = one_b && length > 0 ? *b : 0;
  for (; i < length; ++i) {
    const auto x = hn::Set(single, one_a ? first : a[i]), y = hn::Set(single, one_b ? second : b[i]);
    out[i] = hn::GetLane(f(single, x, y));
  }
}

template <class F>
HWY_INLINE void binary_rows(const float* a, const float* b, float* out, const BinaryRows& rows, F f) {
  for (int64_t r = 0; r < rows.rows; ++r)
    binary_row({a + r * rows.a_row, rows.a_step == 0}, {b + r * rows.b_row, rows.b_step == 0}, out + r * rows.length,
               rows.length, f);
}

void binary(BinaryFunction function, const float* a, const float* b, float* out, const BinaryRows& rows) {
  switch (function) {
    case BinaryFunction::Add: return binary_rows(a, b, out, rows, [](auto, auto x, auto y) { return hn::Add(x, y); });
    case BinaryFunction::Sub: return binary_rows(a, b, out, rows, [](auto, auto x, auto y) { return hn::Sub(x, y); });
    case BinaryFunction::Mul: return binary_rows(a, b, out, rows, [](auto, auto x, auto y) { return hn::Mul(x, y); });
    case BinaryFunction::Div: return binary_rows(a, b, out, rows, [](auto, auto x, auto y) { return hn::Div(x, y); });
    case BinaryFunction::Min:
      return binary_rows(a, b, out, rows, [](auto, auto x, auto y) {
        return hn::IfThenElse(hn::Eq(x, x), hn::IfThenElse(hn::Lt(x, y), x, y), x);
      });
    case BinaryFunction::Max:
      return binary_rows(a, b, out, rows, [](auto, auto x, auto y) {
        return hn::IfThenElse(hn::Eq(x, x), hn::IfThenElse(hn::Gt(x, y), x, y), x);
      });
    case BinaryFunction::PRelu:
      return binary_rows(a, b, out, rows, [](auto d, auto x, auto y) {
        return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, y), x);
      });
  }
}

void channel_affine(const float* in, float* out, const float* scale, const float* shift,
                    const ChannelExtents& extents) {
  const auto [outer, channels, inner] = extents;
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (inner == 1) {
    for (int64_t o = 0; o < outer; ++o, in += channels, out += channels) {
      int64_t c = 0;
      for (; c + lanes <= channels; c += lanes) {
        const Vector y = hn::Add(hn::Mul(hn::LoadU(d, in + c), hn::LoadU(d, scale + c)), hn::LoadU(d, shift + c));
        hn::StoreU(y, d, out + c);
      }
      for (; c < channels; ++c) out[c] = in[c] * scale[c] + shift[c];
    }
    return;
  }
  for (int64_t block = 0; block < outer * channels; ++block, in += inner, out += inner) {
    const float a = scale[block % channels], b = shift[block % channels];
    const Vector va = hn::Set(d, a), vb = hn::Set(d, b);
    int64_t i = 0;
    for (; i + lanes <= inner; i += lanes) hn::StoreU(hn::Add(hn::Mul(hn::LoadU(d, in + i), va), vb), d, out + i);
    for (; i < inner; ++i) out[i] = in[i] * a + b;
  }
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(unary);
HWY_EXPORT(binary);
HWY_EXPORT(channel_affine);

void apply_unary(const UnarySpec& spec, const float* in, float* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(unary)(spec, in, out, count);
}

void apply_binary(BinaryFunction function, const float* a, const float* b, float* out, const BinaryRows& rows) {
  HWY_DYNAMIC_DISPATCH(binary)(function, a, b, out, rows);
}

void apply_channel_affine(const float* in, float* out, const float* scale, const float* shift,
                          const ChannelExtents& extents) {
  HWY_DYNAMIC_DISPATCH(channel_affine)(in, out, scale, shift, extents);
}

}  // namespace detent
#endif
