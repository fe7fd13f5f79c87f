#include "ops/simd/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/reduce.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Single = hn::CappedTag<float, 1>;
constexpr int64_t kMostLanes = 16;  // 512 bits
constexpr int64_t kBlock = 512;     // additions into one accumulator before it is added to the total

// `take` maps an element before it is combined; `join` combines.
struct Sum {
  static constexpr float kNeutral = 0;
  template <class D, class V>
  static HWY_INLINE V take(D, V x) {
    return x;
  }
  template <class D, class V>
  static HWY_INLINE V join(D, V a, V b) {
    return hn::Add(a, b);
  }
};
struct SumAbs : Sum {
  template <class D, class V>
  static HWY_INLINE V take(D, V x) {
    return hn::Abs(x);
  }
};
struct SumSquare : Sum {
  template <class D, class V>
  static HWY_INLINE V take(D, V x) {
    return hn::Mul(x, x);
  }
};
struct Prod : Sum {
  static constexpr float kNeutral = 1;
  template <class D, class V>
  static HWY_INLINE V join(D, V a, V b) {
    return hn::Mul(a, b);
  }
};
struct Max : Sum {
  static constexpr float kNeutral = -std::numeric_limits<float>::infinity();
  template <class D, class V>
  static HWY_INLINE V join(D, V a, V b) {
    return hn::IfThenElse(hn::Eq(b, b), hn::IfThenElse(hn::Lt(a, b), b, a), b);
  }
};
struct Min : Sum {
  static constexpr float kNeutral = std::numeric_limits<float>::infinity();
  template <class D, class V>
  static HWY_INLINE V join(D, V a, V b) {
    return hn::IfThenElse(hn::Eq(b, b), hn::IfThenElse(hn::Gt(a, b), b, a), b);
  }
};

template <class F>
HWY_INLINE float join_scalars(float a, float b) {
  const Single d;
  return hn::GetLane(F::join(d, hn::Set(d, a), hn::Set(d, b)));
}

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

/// Joins lanes i and i + half until one lane is left.
template <class F, class D>
HWY_INLINE float join_lanes(D d, hn::Vec<D> total) {
  HWY_ALIGN float parts[kMostLanes];
  hn::Store(total, d, parts);
  for (size_t width = hn::Lanes(d) / 2; width > 0; width /= 2)
    for (size_t lane = 0; lane < width; ++lane) parts[lane] = join_scalars<F>(parts[lane], parts[lane + width]);
  return parts[0];
}

#else

/// Does the same in registers.
template <class F, class D>
HWY_INLINE float join_lanes(D /*d*/, hn::Vec<D> total) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(total);
  } else {
    const hn::Half<D> half;
    return join_lanes<F>(half, F::join(half, hn::LowerHalf(half, total), hn::UpperHalf(half, total)));
  }
}

#endif

template <class F>
HWY_INLINE float reduce_row(const float* in, int64_t count) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto neutral = hn::Set(d, F::kNeutral);
  auto total = neutral;
  int64_t i = 0;
  while (i + lanes <= count) {
    auto a = neutral, b = neutral;
    const int64_t end = std::min(count, i + kBlock * 2 * lanes);
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      a = F::join(d, a, F::take(d, hn::LoadU(d, in + i)));
      b = F::join(d, b, F::take(d, hn::LoadU(d, in + i + lanes)));
    }
    for (; i + lanes <= end; i += lanes) a = F::join(d, a, F::take(d, hn::LoadU(d, in + i)));
    total = F::join(d, total, F::join(d, a, b));
  }
  float result = join_lanes<F>(d, total);
  const Single single;
  for (; i < count; ++i) result = join_scalars<F>(result, hn::GetLane(F::take(single, hn::Set(single, in[i]))));
  return result;
}

/// Reduces columns [0, lanes of D) of `rows` rows that lie `stride` apart.
template <class F, class D>
HWY_INLINE void reduce_columns(D d, const float* in, float* out, int64_t rows, int64_t stride) {
  auto total = hn::Set(d, F::kNeutral);
  for (int64_t r = 0; r < rows;) {
    auto part = hn::Set(d, F::kNeutral);
    for (const int64_t end = std::min(rows, r + kBlock); r < end; ++r)
      part = F::join(d, part, F::take(d, hn::LoadU(d, in + r * stride)));
    total = F::join(d, total, part);
  }
  hn::StoreU(total, d, out);
}

template <class F>
void reduce_all(const float* in, float* out, int64_t outer, int64_t reduced, int64_t inner) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t o = 0; o < outer; ++o, in += reduced * inner, out += inner) {
    if (inner == 1) {
      *out = reduce_row<F>(in, reduced);
      continue;
    }
    int64_t i = 0;
    for (; i + lanes <= inner; i += lanes) reduce_columns<F>(d, in + i, out + i, reduced, inner);
    for (; i < inner; ++i) reduce_columns<F>(Single(), in + i, out + i, reduced, inner);
  }
}

void reduce(ReduceFunction function, const float* in, float* out, int64_t outer, int64_t reduced, int64_t inner) {
  switch (function) {
    case ReduceFunction::Sum: return reduce_all<Sum>(in, out, outer, reduced, inner);
    case ReduceFunction::Max: return reduce_all<Max>(in, out, outer, reduced, inner);
    case ReduceFunction::Min: return reduce_all<Min>(in, out, outer, reduced, inner);
    case ReduceFunction::Prod: return reduce_all<Prod>(in, out, outer, reduced, inner);
    case ReduceFunction::SumAbs: return reduce_all<SumAbs>(in, out, outer, reduced, inner);
    case ReduceFunction::SumSquare: return reduce_all<SumSquare>(in, out, outer, reduced, inner);
  }
}

/// Computes out = exp(in - shift) and returns the sum. The last, partial vector goes through a padded copy.
HWY_INLINE float exp_row(const float* in, float* out, float shift, int64_t count) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto offset = hn::Set(d, shift);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(exp_of(d, hn::Sub(hn::LoadU(d, in + i), offset)), d, out + i);
  if (i < count) {
    float rest[kMostLanes] = {};
    for (int64_t j = i; j < count; ++j) rest[j - i] = in[j];
    hn::StoreU(exp_of(d, hn::Sub(hn::LoadU(d, rest), offset)), d, rest);
    for (int64_t j = i; j < count; ++j) out[j] = rest[j - i];
  }
  return reduce_row<Sum>(out, count);
}

void softmax_row(SoftmaxFunction function, const float* in, float* out, int64_t count) {
  float largest = reduce_row<Max>(in, count);
  if (largest == -std::numeric_limits<float>::infinity()) largest = 0;  // a row of -inf gives NaN, as ONNX Runtime does
  if (function == SoftmaxFunction::Softmax) {
    const float inverse = 1 / exp_row(in, out, largest, count);
    const Tag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto factor = hn::Set(d, inverse);
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, out + i), factor), d, out + i);
    for (; i < count; ++i) out[i] *= inverse;
    return;
  }
  constexpr int64_t kPiece = 256;
  float piece[kPiece];
  float sum = 0;
  for (int64_t i = 0; i < count; i += kPiece) sum += exp_row(in + i, piece, largest, std::min(kPiece, count - i));
  const float shift = largest + std::log(sum);
  for (int64_t i = 0; i < count; ++i) out[i] = in[i] - shift;
}

/// Applies the function to as many neighbouring columns as D has lanes.
template <class D>
HWY_INLINE void softmax_columns(D d, SoftmaxFunction function, const float* in, float* out, int64_t count,
                                int64_t stride) {
  const bool logarithm = function == SoftmaxFunction::LogSoftmax;
  auto largest = hn::Set(d, Max::kNeutral);
  for (int64_t r = 0; r < count; ++r) largest = Max::join(d, largest, hn::LoadU(d, in + r * stride));
  auto sum = hn::Zero(d);
  for (int64_t r = 0; r < count; ++r) {
    const auto shifted = hn::Sub(hn::LoadU(d, in + r * stride), largest);
    const auto e = exp_of(d, shifted);
    sum = hn::Add(sum, e);
    hn::StoreU(logarithm ? shifted : e, d, out + r * stride);
  }
  const auto factor = logarithm ? hn::Log(d, sum) : hn::Div(hn::Set(d, 1.0f), sum);
  for (int64_t r = 0; r < count; ++r) {
    const auto x = hn::LoadU(d, out + r * stride);
    hn::StoreU(logarithm ? hn::Sub(x, factor) : hn::Mul(x, factor), d, out + r * stride);
  }
}

void softmax(SoftmaxFunction function, const float* in, float* out, int64_t outer, int64_t axis, int64_t inner) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t o = 0; o < outer; ++o, in += axis * inner, out += axis * inner) {
    if (inner == 1) {
      softmax_row(function, in, out, axis);
      continue;
    }
    int64_t i = 0;
    for (; i + lanes <= inner; i += lanes) softmax_columns(d, function, in + i, out + i, axis, inner);
    for (; i < inner; ++i) softmax_columns(Single(), function, in + i, out + i, axis, inner);
  }
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(reduce);
HWY_EXPORT(softmax);

void reduce_run(ReduceFunction function, const float* in, float* out, int64_t outer, int64_t reduced, int64_t inner) {
  HWY_DYNAMIC_DISPATCH(reduce)(function, in, out, outer, reduced, inner);
}

void softmax_run(SoftmaxFunction function, const float* in, float* out, int64_t outer, int64_t axis, int64_t inner) {
  HWY_DYNAMIC_DISPATCH(softmax)(function, in, out, outer, axis, inner);
}

}  // namespace detent
#endif
