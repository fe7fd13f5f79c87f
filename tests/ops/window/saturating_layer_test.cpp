// Conv, MatMul and Gemm between pairs, as ONNX Runtime computes them on x86 CPUs without VNNI. The naive loop adds
// neighbouring products in 16 bits, with saturation; onnxruntime.cpu_products compares with the engine itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/pair_order.h"
#include "exec/executor.h"
#include "exec/schedule.h"
#include "model/model.h"

namespace detent::saturating_layer_test {
namespace {

template <class T>
std::string list(const std::vector<T>& values) {
  std::string text = "{";
  for (const T value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "}";
}

std::string extents(const Shape& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}

std::vector<int> numbers(int64_t count, int low, int high, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> pick(low, high);
  std::vector<int> values(static_cast<size_t>(count));
  for (int& value : values) value = pick(generator);
  return values;
}

/// A layer of UINT8 codes (scale 1, zero point 100) and INT8 weights (scale 1 or 2 by output), bias and a pair of scale
/// 64.
struct Case {
  std::string name, call;  ///< "Conv <pads = [1,1,1,1]> (d, w, b)"
  Shape input, weights;
  int output_axis = 0;
  int largest = 127;  ///< weights
  bool bias = true;
  bool pair_behind = true;
  std::string codes = "uint8";
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr int kZero = 100, kZeroBehind = 120;

int64_t outputs_of(const Case& c) { return c.weights[static_cast<size_t>(c.output_axis)]; }

Model model_of(const Case& c) {
  const int64_t outputs = outputs_of(c);
  std::vector<float> scales, bias_scales;
  for (int64_t o = 0; o < outputs; ++o) scales.push_back(static_cast<float>(1 + o % 2));
  bias_scales = scales;
  const auto weights = numbers(c.weights.element_count(), -c.largest, c.largest, 1);
  const auto bias = numbers(outputs, -3000, 3000, 2);
  const int shift = c.codes == "int8" ? 128 : 0;
  const std::string count = "[" + std::to_string(outputs) + "]";
  std::string text = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float" + extents(c.input) +
                     " x) => (float[N] y)\n<float s = {1}, " + c.codes + " z = {" + std::to_string(kZero - shift) +
                     "}, float t = {64}, " + c.codes + " v = {" + std::to_string(kZeroBehind - shift) + "}, int8" +
                     extents(c.weights) + " q = " + list(weights) + ", float" + count + " ws = " + list(scales) +
                     ", int8" + count + " wz = " + list(std::vector<int>(static_cast<size_t>(outputs), 0));
  if (c.bias)
    text += ", int32" + count + " bq = " + list(bias) + ", float" + count + " bs = " + list(bias_scales) + ", int32" +
            count + " bz = " + list(std::vector<int>(static_cast<size_t>(outputs), 0));
  text += ">\n{ k = QuantizeLinear (x, s, z) d = DequantizeLinear (k, s, z) w = DequantizeLinear <axis = " +
          std::to_string(c.output_axis) + "> (q, ws, wz) ";
  if (c.bias) text += "b = DequantizeLinear <axis = 0> (bq, bs, bz) ";
  text += c.pair_behind ? "o = " + c.call + " e = QuantizeLinear (o, t, v) y = DequantizeLinear (e, t, v) }"
                        : "y = " + c.call + " }";
  return parse_model_text(text);
}

std::vector<float> run(const Model& model, const Tensor& input, CpuProducts products) {
  struct Keeper : Observer {
    std::vector<float> kept;
    void observe(ValueId, const Tensor& tensor) override {
      const Tensor plain = to_plain(tensor);
      kept.assign(plain.data<float>().begin(), plain.data<float>().end());
    }
  };
  const std::vector<ValueId> wanted{*model.graph().find_value("y")};
  const Schedule schedule(model.graph(), wanted, {.products = products});
  Keeper keeper;
  Executor(schedule).run(std::vector<Tensor>{input}, keeper);
  return keeper.kept;
}

/// Returns inputs: the codes minus the zero point.
Tensor input_of(const Case& c, int low = 0, int high = 255) {
  Tensor input(DataType::Float32, c.input);
  const auto codes = numbers(c.input.element_count(), low, high, 3);
  std::ranges::transform(codes, input.mutable_data<float>().begin(),
                         [](int code) { return static_cast<float>(code - kZero); });
  return input;
}

enum class Sum { Exact, Saturating };

/// Returns the sum over one output: codes[i] and weights[i] in the order of the products.
int64_t sum_of(const std::vector<int>& codes, const std::vector<int>& weights, Sum how) {
  int64_t sum = 0;
  for (size_t i = 0; i < codes.size(); i += 2) {
    int pair = codes[i] * weights[i];
    if (i + 1 < codes.size()) pair += codes[i + 1] * weights[i + 1];
    sum += how == Sum::Saturating ? std::clamp(pair, -32768, 32767) : pair;
  }
  for (const int weight : weights) sum -= kZero * weight;
  return sum;
}

float finished(const Case& c, int64_t sum, int64_t output) {
  if (c.bias) sum += numbers(outputs_of(c), -3000, 3000, 2)[static_cast<size_t>(output)];
  const auto factor = static_cast<float>(1 + output % 2);
  if (!c.pair_behind) return static_cast<float>(sum) * factor;
  const float code = std::nearbyint(static_cast<float>(sum) * (factor / 64));
  return std::clamp(code, static_cast<float>(-kZeroBehind), static_cast<float>(255 - kZeroBehind)) * 64;
}

/// Computes a 2-D convolution with padding 1 on each side, by definition.
std::vector<float> naive_convolution(const Case& c, const Tensor& input, int64_t groups, int64_t stride, Sum how) {
  const auto x = input.data<float>();
  const auto w = numbers(c.weights.element_count(), -c.largest, c.largest, 1);
  const int64_t channels = c.weights[1], kernel = c.weights[2], size = c.input[2];
  const int64_t out = (size + 2 - kernel) / stride + 1, each = c.weights[0] / groups;
  std::vector<float> result;
  for (int64_t row = 0; row < c.input[0] * c.weights[0]; ++row)
    for (int64_t py = 0; py < out; ++py)
      for (int64_t px = 0; px < out; ++px) {
        const int64_t sample = row / c.weights[0], o = row % c.weights[0];
        std::vector<int> codes, weights;
        for (int64_t ky = 0; ky < kernel; ++ky)
          for (int64_t kx = 0; kx < kernel; ++kx)
            for (int64_t i = 0; i < channels; ++i) {
              const int64_t y = py * stride + ky - 1, z = px * stride + kx - 1;
              const bool inside = y >= 0 && y < size && z >= 0 && z < size;
              const int64_t at = ((sample * c.input[1] + o / each * channels + i) * size + y) * size + z;
              codes.push_back(inside ? static_cast<int>(x[static_cast<size_t>(at)]) + kZero : kZero);
              weights.push_back(w[static_cast<size_t>(((o * channels + i) * kernel + ky) * kernel + kx)]);
            }
        result.push_back(finished(c, sum_of(codes, weights, how), o));
      }
  return result;
}

struct ConvolutionCase : Case {
  int64_t groups = 1, stride = 1;
};

class SaturatingConvolution : public ::testing::TestWithParam<ConvolutionCase> {};

TEST_P(SaturatingConvolution, AddsNeighbouringProductsIn16Bits) {
  const ConvolutionCase& c = GetParam();
  const Model model = model_of(c);
  const Tensor input = input_of(c);
  const bool depthwise = c.weights[1] == 1 && c.groups == c.weights[0];
  EXPECT_EQ(run(model, input, CpuProducts::Avx2),
            naive_convolution(c, input, c.groups, c.stride, depthwise ? Sum::Exact : Sum::Saturating));
  if (!depthwise) {
    EXPECT_NE(run(model, input, CpuProducts::Avx2), run(model, input, CpuProducts::Exact)) << "nothing saturates here";
  }
}

TEST_P(SaturatingConvolution, IsExactWhereEveryPairIsSafe) {
  ConvolutionCase c = GetParam();
  c.largest = 64;
  const Tensor input = input_of(c);
  EXPECT_EQ(run(model_of(c), input, CpuProducts::Avx2), naive_convolution(c, input, c.groups, c.stride, Sum::Exact));
}

ConvolutionCase convolution(const std::string& name, const Shape& input, const Shape& weights, int64_t groups = 1,
                            int64_t stride = 1, const std::string& codes = "uint8", bool bias = true) {
  ConvolutionCase c;
  c.name = name, c.input = input, c.weights = weights, c.groups = groups, c.stride = stride, c.codes = codes,
  c.bias = bias;
  c.call = "Conv <pads = [1,1,1,1], strides = [" + std::to_string(stride) + "," + std::to_string(stride) +
           "], group = " + std::to_string(groups) + "> (d, w" + (bias ? ", b)" : ")");
  return c;
}

INSTANTIATE_TEST_SUITE_P(Shapes, SaturatingConvolution,
                         ::testing::Values(convolution("Image", {1, 3, 9, 9}, {16, 3, 3, 3}, 1, 2),
                                           convolution("EvenChannels", {1, 4, 6, 6}, {5, 4, 3, 3}),
                                           convolution("Pointwise", {1, 32, 4, 4}, {24, 32, 1, 1}),
                                           convolution("OddChannels", {2, 7, 5, 5}, {40, 7, 1, 1}),
                                           convolution("Groups", {1, 12, 5, 5}, {12, 3, 3, 3}, 4),
                                           convolution("TwoOutputsAGroup", {1, 6, 5, 5}, {12, 1, 3, 3}, 6),
                                           convolution("Depthwise", {1, 20, 7, 7}, {20, 1, 3, 3}, 20, 2),
                                           convolution("Int8Activations", {1, 4, 6, 6}, {5, 4, 3, 3}, 1, 1, "int8"),
                                           convolution("NoBias", {1, 4, 6, 6}, {5, 4, 3, 3}, 1, 1, "uint8", false)),
                         [](const auto& given) { return given.param.name; });

/// Multiplies rows x inner with a matrix, which lies [inner, outputs] or transposed.
std::vector<float> naive_product(const Case& c, const Tensor& input, Sum how) {
  const auto x = input.data<float>();
  const auto w = numbers(c.weights.element_count(), -c.largest, c.largest, 1);
  const int64_t outputs = outputs_of(c), inner = c.weights.element_count() / outputs;
  std::vector<float> result;
  for (int64_t r = 0; r < input.element_count() / inner; ++r)
    for (int64_t o = 0; o < outputs; ++o) {
      std::vector<int> codes, weights;
      for (int64_t k = 0; k < inner; ++k) {
        codes.push_back(static_cast<int>(x[static_cast<size_t>(r * inner + k)]) + kZero);
        weights.push_back(w[static_cast<size_t>(c.output_axis == 0 ? o * inner + k : k * outputs + o)]);
      }
      result.push_back(finished(c, sum_of(codes, weights, how), o));
    }
  return result;
}

class SaturatingProduct : public ::testing::TestWithParam<Case> {};

TEST_P(SaturatingProduct, AddsNeighbouringProductsIn16Bits) {
  const Case& c = GetParam();
  const Tensor input = input_of(c);
  EXPECT_EQ(run(model_of(c), input, CpuProducts::Avx2), naive_product(c, input, Sum::Saturating));
}

TEST_P(SaturatingProduct, IsExactWhereEveryPairIsSafe) {
  Case c = GetParam();
  c.largest = 64;
  const Tensor input = input_of(c);
  EXPECT_EQ(run(model_of(c), input, CpuProducts::Avx2), naive_product(c, input, Sum::Exact));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SaturatingProduct,
    ::testing::Values(Case{"MatMul", "MatMul (d, w)", {5, 100}, {100, 33}, 1, 127, false},
                      Case{"MatMulOfRank3", "MatMul (d, w)", {2, 3, 13}, {13, 9}, 1, 127, false},
                      Case{"FloatOutput", "MatMul (d, w)", {70, 40}, {40, 17}, 1, 127, false, false},
                      Case{"Gemm", "Gemm (d, w, b)", {1, 64}, {64, 10}, 1},
                      Case{"GemmWithTransB", "Gemm <transB = 1> (d, w, b)", {4, 31}, {20, 31}, 0}),
    [](const auto& given) { return given.param.name; });

TEST(SaturatingLayer, TheVectorsOfTheInstruction) {
  // Weights a, b and codes u, v: the sum is cut to 16 bits, unless the signs differ.
  struct Vector {
    int a, b, u, v, sum;
  };
  for (const Vector& one :
       {Vector{127, 127, 255, 255, 32767}, Vector{127, 2, 255, 255, 32767}, Vector{127, 1, 255, 255, 32640},
        Vector{64, 64, 255, 255, 32640}, Vector{65, 64, 255, 255, 32767}, Vector{-127, -127, 255, 255, -32768},
        Vector{-64, -65, 255, 255, -32768}, Vector{127, -127, 255, 255, 0}, Vector{127, 127, 128, 128, 32512},
        Vector{127, 127, 129, 129, 32766}}) {
    const Model model = parse_model_text(
        "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[1,2] x) => (float[1,1] y)\n<float s = {1}, uint8 z = "
        "{0}, "
        "int8[2,1] q = {" +
        std::to_string(one.a) + ", " + std::to_string(one.b) +
        "}, int8 wz = {0}>\n{ k = QuantizeLinear (x, s, z) d = DequantizeLinear (k, s, z) w = DequantizeLinear (q, s, "
        "wz) "
        "y = MatMul (d, w) }");
    Tensor input(DataType::Float32, Shape{1, 2});
    input.mutable_data<float>()[0] = static_cast<float>(one.u);
    input.mutable_data<float>()[1] = static_cast<float>(one.v);
    EXPECT_EQ(run(model, input, CpuProducts::Avx2).at(0), static_cast<float>(one.sum)) << one.a << " and " << one.b;
    EXPECT_EQ(run(model, input, CpuProducts::Exact).at(0), static_cast<float>(one.a * one.u + one.b * one.v));
  }
}

TEST(SaturatingLayer, AConvWithoutAPairBehindItIsFloatInTheEngine) {
  ConvolutionCase c = convolution("Open", {1, 4, 6, 6}, {5, 4, 3, 3});
  c.pair_behind = false;
  const Tensor input = input_of(c);
  EXPECT_EQ(run(model_of(c), input, CpuProducts::Avx2), run(model_of(c), input, CpuProducts::Exact));
}

}  // namespace
}  // namespace detent::saturating_layer_test
