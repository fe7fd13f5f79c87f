#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

namespace detent {

/// float -> float functions with a vector form. alpha and beta are the attributes of the ONNX operator; Clip keeps its
/// bounds there, Silu its factor inside the sigmoid, Selu its gamma in beta.
enum class UnaryFunction : uint8_t {
  Relu,
  LeakyRelu,
  ThresholdedRelu,
  Clip,
  Sigmoid,
  HardSigmoid,
  HardSwish,
  Silu,
  Tanh,
  Elu,
  Celu,
  Selu,
  Softplus,
  Softsign,
  Mish,
  Gelu,
  GeluTanh,
  Erf,
  Exp,
  Log,
  Sqrt,
  Reciprocal,
  Abs,
  Neg,
  Floor,
  Ceil,
  Round,
  Sign,
  Sin,
  Cos,
};

struct UnarySpec {
  UnaryFunction function = UnaryFunction::Relu;
  float alpha = 0;
  float beta = 0;
};

/// Computes out[i] = f(in[i]); in == out is fine. An element's result does not depend on its place in the array. Within
/// 4 ulp of the true function where it is well conditioned; NaN stays NaN.
void apply_unary(const UnarySpec& spec, const float* in, float* out, size_t count);

enum class BinaryFunction : uint8_t { Add, Sub, Mul, Div, Min, Max, PRelu };

/// Two nested loops over two operands and a dense output. Steps along a row are 0 (one value for the whole row) or 1;
/// row strides are free.
struct BinaryRows {
  int64_t rows = 1;
  int64_t length = 0;
  int64_t a_row = 0, a_step = 1;
  int64_t b_row = 0, b_step = 1;
};

/// Computes out[r][i] = f(a[r * a_row + i * a_step], b[r * b_row + i * b_step]); out may be a or b where that one is
/// dense.
void apply_binary(BinaryFunction function, const float* a, const float* b, float* out, const BinaryRows& rows);

/// Memory seen as outer x channels x inner.
struct ChannelExtents {
  int64_t outer = 1, channels = 1, inner = 1;
};

/// Computes out = in * scale[channel] + shift[channel].
void apply_channel_affine(const float* in, float* out, const float* scale, const float* shift,
                          const ChannelExtents& extents);

/// Codes of 8 or 16 bits in memory.
using MutableCodes = std::variant<int8_t*, uint8_t*, int16_t*, uint16_t*>;
using ConstCodes = std::variant<const int8_t*, const uint8_t*, const int16_t*, const uint16_t*>;

/// Computes out[i] = saturate(round_half_even(in[i] / scale) + zero_point), division in float as ONNX Runtime does. NaN
/// gives the zero point.
void quantize_run(const float* in, MutableCodes out, float scale, int32_t zero_point, size_t count);

/// Computes out[i] = float(in[i] - zero_point) * scale.
void dequantize_run(ConstCodes in, float* out, float scale, int32_t zero_point, size_t count);
void dequantize_run(const int32_t* in, float* out, float scale, int32_t zero_point, size_t count);

}  // namespace detent
