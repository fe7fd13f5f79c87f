#include <array>
#include <cstring>
#include <vector>

#include "ops/simd/winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/winograd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Tag>;

// Accumulators of rows x 2 vectors, two of the weights and one of the source must fit the registers: 32 with AVX-512,
// else 16.
constexpr size_t kRows = HWY_MAX_BYTES >= 64 ? 12 : 6;

void pack(const float* weights, size_t channels, size_t outputs, float* packed) {
  const size_t lanes = hn::Lanes(Tag());
  // G w G^T, G = (1 0 0; 1/2 1/2 1/2; 1/2 -1/2 1/2; 0 0 1)
  const auto transform = [](double a, double b, double c, double* out) {
    out[0] = a;
    out[1] = (a + b + c) / 2;
    out[2] = (a - b + c) / 2;
    out[3] = c;
  };
  for (size_t o = 0; o < outputs; ++o) {
    const size_t panel = o / (2 * lanes) * (2 * lanes);
    const size_t width = std::min(2 * lanes, outputs - panel);
    for (size_t c = 0; c < channels; ++c) {
      const float* w = weights + (o * channels + c) * 9;
      double rows[3][4], columns[4][4];
      for (int i = 0; i < 3; ++i) transform(w[3 * i], w[3 * i + 1], w[3 * i + 2], rows[i]);
      for (int j = 0; j < 4; ++j) {
        double column[4];
        transform(rows[0][j], rows[1][j], rows[2][j], column);
        for (int i = 0; i < 4; ++i) columns[i][j] = column[i];
      }
      for (size_t k = 0; k < 16; ++k)
        packed[(k * outputs + panel) * channels + c * width + (o - panel)] = static_cast<float>(columns[k / 4][k % 4]);
    }
  }
}

bool source(const float* const* pixels, const WinogradBlock& block, size_t tile, float* planes) {
  const Tag d;
  Vector zeros = hn::Zero(d);  // NaN once a sum is not finite
  float* out = planes + tile * block.channels;
  for (size_t c = 0; c < block.channels; c += hn::Lanes(d)) {
    Vector t[16];
    // B^T d B, B^T = (1 0 -1 0; 0 1 1 0; 0 -1 1 0; 0 1 0 -1)
    for (size_t j = 0; j < 4; ++j) {
      const Vector d0 = hn::LoadU(d, pixels[j] + c), d1 = hn::LoadU(d, pixels[4 + j] + c);
      const Vector d2 = hn::LoadU(d, pixels[8 + j] + c), d3 = hn::LoadU(d, pixels[12 + j] + c);
      t[j] = hn::Sub(d0, d2);
      t[4 + j] = hn::Add(d1, d2);
      t[8 + j] = hn::Sub(d2, d1);
      t[12 + j] = hn::Sub(d1, d3);
    }
    for (size_t i = 0; i < 16; i += 4) {
      float* row = out + i * block.source_step + c;
      const Vector first = hn::Sub(t[i], t[i + 2]), last = hn::Sub(t[i + 1], t[i + 3]);
      if (i % 12 == 0) zeros = hn::MulAdd(hn::Add(first, last), hn::Zero(d), zeros);  // these four hold every pixel
      hn::StoreU(first, d, row);
      hn::StoreU(hn::Add(t[i + 1], t[i + 2]), d, row + block.source_step);
      hn::StoreU(hn::Sub(t[i + 2], t[i + 1]), d, row + 2 * block.source_step);
      hn::StoreU(last, d, row + 3 * block.source_step);
    }
  }
  return hn::AllFalse(d, hn::IsNaN(zeros));
}

/// Computes out[r][0 .. N vectors) = sum over k of a[r][k] * b[k][...]: `rows` rows, one chain of multiply-adds an
/// element.
template <size_t R, size_t N>
HWY_INLINE void multiply_rows(const float* a, size_t channels, const float* b, float* out, size_t outputs) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vector sums[R][N];
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (size_t n = 0; n < N; ++n) sums[r][n] = hn::Zero(d);
  for (size_t k = 0; k < channels; ++k, b += N * lanes) {
    Vector w[N];
#pragma GCC unroll 2
    for (size_t n = 0; n < N; ++n) w[n] = hn::LoadU(d, b + n * lanes);
#pragma GCC unroll 16
    for (size_t r = 0; r < R; ++r) {
      const Vector x = hn::Set(d, a[r * channels + k]);
#pragma GCC unroll 2
      for (size_t n = 0; n < N; ++n) sums[r][n] = hn::MulAdd(x, w[n], sums[r][n]);
    }
  }
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (size_t n = 0; n < N; ++n) hn::StoreU(sums[r][n], d, out + r * outputs + n * lanes);
}

template <size_t N>
HWY_INLINE void multiply_panel(const float* a, const float* b, const WinogradBlock& block, float* out) {
  const size_t k = block.channels, stride = block.outputs;
  size_t row = 0;
  for (; row + kRows <= block.tiles; row += kRows)
    multiply_rows<kRows, N>(a + row * k, k, b, out + row * stride, stride);
  if constexpr (kRows > 6)
    for (; row + 6 <= block.tiles; row += 6) multiply_rows<6, N>(a + row * k, k, b, out + row * stride, stride);
  for (; row + 3 <= block.tiles; row += 3) multiply_rows<3, N>(a + row * k, k, b, out + row * stride, stride);
  for (; row < block.tiles; ++row) multiply_rows<1, N>(a + row * k, k, b, out + row * stride, stride);
}

void multiply(const float* planes, const float* packed, const WinogradBlock& block, float* products) {
  const size_t lanes = hn::Lanes(Tag());
  for (size_t plane = 0; plane < 16; ++plane) {
    const float* a = planes + plane * block.source_step;
    const float* b = packed + plane * block.outputs * block.channels;
    float* out = products + plane * block.product_step;
    size_t o = 0;
    for (; o + 2 * lanes <= block.outputs; o += 2 * lanes) multiply_panel<2>(a, b + o * block.channels, block, out + o);
    if (o < block.outputs) multiply_panel<1>(a, b + o * block.channels, block, out + o);
  }
}

HWY_INLINE Vector clamp(Vector x, Vector low, Vector high) {
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Gt(x, high), high, x);
}

void result(const float* products, const WinogradBlock& block, size_t tile, const RegisterFinish& finish,
            float* const* pixels, const float* const* residuals) {
  const Tag d;
  const float* in = products + tile * block.outputs;
  const Vector low = hn::Set(d, finish.low), high = hn::Set(d, finish.high);
  for (size_t o = 0; o < block.outputs; o += hn::Lanes(d)) {
    // A^T m A, A^T = (1 1 1 0; 0 1 -1 -1)
    Vector upper[4], lower[4];
    for (size_t j = 0; j < 4; ++j) {
      const float* column = in + j * block.product_step + o;
      const Vector m0 = hn::LoadU(d, column), m1 = hn::LoadU(d, column + 4 * block.product_step);
      const Vector m2 = hn::LoadU(d, column + 8 * block.product_step);
      const Vector m3 = hn::LoadU(d, column + 12 * block.product_step);
      upper[j] = hn::Add(hn::Add(m0, m1), m2);
      lower[j] = hn::Sub(hn::Sub(m1, m2), m3);
    }
    const Vector bias = finish.bias ? hn::LoadU(d, finish.bias + o) : hn::Zero(d);
    const auto store = [&](size_t pixel, Vector value) {
      if (!pixels[pixel]) return;
      value = hn::Add(value, bias);
      if (finish.residual) value = hn::Add(value, hn::LoadU(d, residuals[pixel] + o));
      hn::StoreU(clamp(value, low, high), d, pixels[pixel] + o);
    };
    store(0, hn::Add(hn::Add(upper[0], upper[1]), upper[2]));
    store(1, hn::Sub(hn::Sub(upper[1], upper[2]), upper[3]));
    store(2, hn::Add(hn::Add(lower[0], lower[1]), lower[2]));
    store(3, hn::Sub(hn::Sub(lower[1], lower[2]), lower[3]));
  }
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(pack);
HWY_EXPORT(source);
HWY_EXPORT(multiply);
HWY_EXPORT(result);

size_t winograd_weight_count(size_t channels, size_t outputs) { return 16 * channels * outputs; }

void winograd_pack(const float* weights, size_t channels, size_t outputs, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack)(weights, channels, outputs, packed);
}

bool winograd_source(const float* const* pixels, const WinogradBlock& block, size_t tile, float* planes) {
  return HWY_DYNAMIC_DISPATCH(source)(pixels, block, tile, planes);
}

void winograd_multiply(const float* planes, const float* packed, const WinogradBlock& block, float* products) {
  HWY_DYNAMIC_DISPATCH(multiply)(planes, packed, block, products);
}

void winograd_result(const float* products, const WinogradBlock& block, size_t tile, const RegisterFinish& finish,
                     float* const* pixels, const float* const* residuals) {
  HWY_DYNAMIC_DISPATCH(result)(products, block, tile, finish, pixels, residuals);
}

}  // namespace detent
#endif  // HWY_ONCE
