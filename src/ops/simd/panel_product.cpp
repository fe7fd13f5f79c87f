#include "ops/simd/panel_product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/panel_product.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;
using One = hn::CappedTag<float, 1>;

// Accumulators of rows x vectors, the vectors of a panel and one of the left side must fit the registers: 32 with
// AVX-512 and on arm64, else 16. Wide vectors take few of them to a panel, so that narrow matrices waste little.
constexpr bool kManyRegisters = HWY_MAX_BYTES >= 64 || HWY_TARGET == HWY_NEON;
constexpr size_t kVectors = HWY_TARGET == HWY_NEON ? 4 : 2;
constexpr size_t kMostRows = kManyRegisters && kVectors == 2 ? 12 : 6;

size_t round_up(size_t depth, size_t columns) {
  const size_t lanes = hn::Lanes(Tag());
  return (columns + lanes - 1) / lanes * lanes * depth;
}

void pack(const float* matrix, size_t row_step, size_t column_step, size_t depth, size_t columns, float factor,
          float* packed) {
  const size_t lanes = hn::Lanes(Tag());
  for (size_t first = 0; first < columns; first += kVectors * lanes) {
    const size_t count = std::min(kVectors * lanes, columns - first), width = (count + lanes - 1) / lanes * lanes;
    for (size_t k = 0; k < depth; ++k, packed += width) {
      const float* row = matrix + k * row_step + first * column_step;
      for (size_t c = 0; c < count; ++c) packed[c] = row[c * column_step] * factor;
      std::fill(packed + count, packed + width, 0.0F);
    }
  }
}

/// Returns clamp(x + bias + residual) of the elements that `place` and `column` name; NaN stays NaN.
template <class D>
HWY_INLINE hn::Vec<D> finished(D d, hn::Vec<D> x, const RegisterFinish& finish, size_t place, size_t column) {
  if (finish.bias) x = hn::Add(x, hn::LoadU(d, finish.bias + column));
  if (finish.residual) x = hn::Add(x, hn::LoadU(d, finish.residual + place + column));
  const auto low = hn::Set(d, finish.low), high = hn::Set(d, finish.high);
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Gt(x, high), high, x);
}

/// Stores the first `count` lanes of a vector at the right edge. Not inlined: a tile stores up to 24 vectors.
HWY_NOINLINE void store_edge(hn::Vec<Tag> x, size_t count, const RowDestination& to, size_t place, size_t column) {
  const Tag d;
  float* out = to.output + place + column;
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, lanes);
  const One one;
  for (size_t i = 0; i < count; ++i)
    hn::StoreU(finished(one, hn::Set(one, lanes[i]), to.finish, place, column + i), one, out + i);
}

/// Stores the first `count` lanes.
HWY_INLINE void store(hn::Vec<Tag> x, size_t count, const RowDestination& to, size_t place, size_t column) {
  const Tag d;
  if (count < hn::Lanes(d)) return store_edge(x, count, to, place, column);
  hn::StoreU(finished(d, x, to.finish, place, column), d, to.output + place + column);
}

template <size_t R>
HWY_INLINE bool all_zero(const float* const* rows) {
  bool zero = true;
  for (size_t r = 0; r < R; ++r) zero = zero && rows[r] == nullptr;
  return zero;
}

/// Multiplies R rows from `row` on with a panel of N vectors, `count` columns from `column` on.
template <size_t R, size_t N>
HWY_INLINE void tile(const RowParts& p, size_t row, const float* b, size_t column, size_t count,
                     const RowDestination& to) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Tag> sums[R][N];
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (size_t n = 0; n < N; ++n) sums[r][n] = hn::Zero(d);
  for (size_t part = 0; part < p.parts; ++part) {
    const float* const* rows = p.rows + part * p.row_step + row;
    if (all_zero<R>(rows)) {
      b += p.inner * N * lanes;
      continue;
    }
    // A row outside reads a zero at step 0.
    static constexpr float kZero = 0;
    const float* a[R];
    size_t step[R];
#pragma GCC unroll 16
    for (size_t r = 0; r < R; ++r) {
      a[r] = rows[r] ? rows[r] : &kZero;
      step[r] = rows[r] ? 1 : 0;
    }
    const bool inside = std::all_of(step, step + R, [](size_t one) { return one == 1; });
    const auto run = [&](auto all_inside) HWY_ATTR {
      for (size_t k = 0; k < p.inner; ++k, b += N * lanes) {
        hn::Vec<Tag> w[N];
#pragma GCC unroll 4
        for (size_t n = 0; n < N; ++n) w[n] = hn::LoadU(d, b + n * lanes);
#pragma GCC unroll 16
        for (size_t r = 0; r < R; ++r) {
          const auto x = hn::Set(d, a[r][decltype(all_inside)::value ? k : k * step[r]]);
#pragma GCC unroll 4
          for (size_t n = 0; n < N; ++n) sums[r][n] = hn::MulAdd(x, w[n], sums[r][n]);
        }
      }
    };
    if (inside)
      run(std::true_type());
    else
      run(std::false_type());
  }
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (size_t n = 0; n < N; ++n)
      store(sums[r][n], count - std::min(count, n * lanes), to, to.places[row + r], column + n * lanes);
}

template <size_t N>
HWY_INLINE void panel(const RowParts& p, const float* b, size_t column, size_t count, const RowDestination& to) {
  size_t row = 0;
  for (; row + kMostRows <= p.count; row += kMostRows) tile<kMostRows, N>(p, row, b, column, count, to);
  if constexpr (kMostRows > 6)
    for (; row + 6 <= p.count; row += 6) tile<6, N>(p, row, b, column, count, to);
  for (; row + 3 <= p.count; row += 3) tile<3, N>(p, row, b, column, count, to);
  for (; row < p.count; ++row) tile<1, N>(p, row, b, column, count, to);
}

void multiply(const RowParts& p, const float* packed, size_t columns, const RowDestination& to) {
  const size_t lanes = hn::Lanes(Tag()), depth = p.parts * p.inner;
  for (size_t column = 0; column < columns; column += kVectors * lanes) {
    const size_t count = std::min(kVectors * lanes, columns - column);
    const float* b = packed + column * depth;
    switch ((count + lanes - 1) / lanes) {
      case 1: panel<1>(p, b, column, count, to); break;
      case 2: panel<2>(p, b, column, count, to); break;
      case 3: panel<std::min<size_t>(3, kVectors)>(p, b, column, count, to); break;
      default: panel<kVectors>(p, b, column, count, to); break;
    }
  }
}

template <size_t R, class D>
HWY_INLINE void diagonal_tile(D d, const RowParts& p, size_t row, const float* weights, size_t column,
                              const RowDestination& to) {
  hn::Vec<D> sums[R];
#pragma GCC unroll 4
  for (size_t r = 0; r < R; ++r) sums[r] = hn::Zero(d);
  for (size_t part = 0; part < p.parts; ++part) {
    const float* const* rows = p.rows + part * p.row_step + row;
    if (all_zero<R>(rows)) continue;
    const auto w = hn::LoadU(d, weights + part * p.inner + column);
#pragma GCC unroll 4
    for (size_t r = 0; r < R; ++r)
      if (rows[r]) sums[r] = hn::MulAdd(hn::LoadU(d, rows[r] + column), w, sums[r]);
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < R; ++r)
    hn::StoreU(finished(d, sums[r], to.finish, to.places[row + r], column), d, to.output + to.places[row + r] + column);
}

template <size_t R>
HWY_INLINE void diagonal_rows(const RowParts& p, size_t row, const float* weights, const RowDestination& to) {
  const Tag d;
  size_t column = 0;
  for (; column + hn::Lanes(d) <= p.inner; column += hn::Lanes(d)) diagonal_tile<R>(d, p, row, weights, column, to);
  for (; column < p.inner; ++column) diagonal_tile<R>(One(), p, row, weights, column, to);
}

void multiply_each(const RowParts& p, const float* weights, const RowDestination& to) {
  size_t row = 0;
  for (; row + 4 <= p.count; row += 4) diagonal_rows<4>(p, row, weights, to);
  for (; row < p.count; ++row) diagonal_rows<1>(p, row, weights, to);
}

template <size_t M, size_t N>
HWY_INLINE void dot_tile(const DotProducts& p, size_t i, size_t j) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Tag> sums[M][N];
#pragma GCC unroll 4
  for (size_t m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (size_t n = 0; n < N; ++n) sums[m][n] = hn::Zero(d);
  size_t k = 0;
  for (; k + lanes <= p.k; k += lanes) {
    hn::Vec<Tag> b[N];
#pragma GCC unroll 4
    for (size_t n = 0; n < N; ++n) b[n] = hn::LoadU(d, p.b + (j + n) * p.b_row + k);
#pragma GCC unroll 4
    for (size_t m = 0; m < M; ++m) {
      const auto a = hn::LoadU(d, p.a + (i + m) * p.a_row + k);
#pragma GCC unroll 4
      for (size_t n = 0; n < N; ++n) sums[m][n] = hn::MulAdd(a, b[n], sums[m][n]);
    }
  }
  for (size_t m = 0; m < M; ++m)
    for (size_t n = 0; n < N; ++n) {
      float sum = hn::GetLane(hn::SumOfLanes(d, sums[m][n]));
      const float *a = p.a + (i + m) * p.a_row, *b = p.b + (j + n) * p.b_row;
      for (size_t rest = k; rest < p.k; ++rest) sum += a[rest] * b[rest];
      float& out = p.c[(i + m) * p.c_row + j + n];
      out = p.adds ? out + sum : sum;
    }
}

template <size_t M>
HWY_INLINE void dot_rows(const DotProducts& p, size_t i) {
  size_t j = 0;
  for (; j + 4 <= p.n; j += 4) dot_tile<M, 4>(p, i, j);
  for (; j < p.n; ++j) dot_tile<M, 1>(p, i, j);
}

void dots(const DotProducts& p) {
  constexpr size_t kRows = kManyRegisters ? 4 : 2;
  size_t i = 0;
  for (; i + kRows <= p.m; i += kRows) dot_rows<kRows>(p, i);
  for (; i < p.m; ++i) dot_rows<1>(p, i);
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(round_up);
HWY_EXPORT(pack);
HWY_EXPORT(multiply);
HWY_EXPORT(multiply_each);
HWY_EXPORT(dots);

size_t packed_floats(size_t depth, size_t columns) { return HWY_DYNAMIC_DISPATCH(round_up)(depth, columns); }

void pack_panels(const float* matrix, size_t row_step, size_t column_step, size_t depth, size_t columns, float factor,
                 float* packed) {
  HWY_DYNAMIC_DISPATCH(pack)(matrix, row_step, column_step, depth, columns, factor, packed);
}

void multiply_panels(const RowParts& rows, const float* packed, size_t columns, const RowDestination& to) {
  HWY_DYNAMIC_DISPATCH(multiply)(rows, packed, columns, to);
}

void multiply_diagonals(const RowParts& rows, const float* weights, const RowDestination& to) {
  HWY_DYNAMIC_DISPATCH(multiply_each)(rows, weights, to);
}

void multiply_dots(const DotProducts& product) { HWY_DYNAMIC_DISPATCH(dots)(product); }

}  // namespace detent
#endif
