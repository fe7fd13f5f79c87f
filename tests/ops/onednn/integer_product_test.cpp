#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "exec/executor.h"
#include "model/model.h"
#include "ops/find_operator.h"
#include "ops/onednn/drawn_numbers.h"

namespace detent {
namespace {

/// A product between pairs whose scales are powers of two, so that every product, sum and result is exact in float.
struct ProductCase {
  std::string name;
  std::string product;            ///< reads d and w, and b, writes y
  std::string input = "[6, 48]";  ///< of x
  Shape weights = {48, 20};
  int axis = 1;  ///< of the weights' scales
  std::string data_type = "int8", weight_type = "int8";
  int zero_point = 0, weight_zero_point = 0;
  bool each_channel = true;
  bool takes_codes = true;
};

void PrintTo(const ProductCase& c, std::ostream* out) { *out << c.name; }

/// pairs  false: behind Identity nodes the codes are not known, and floats are multiplied.
Model product_model(const ProductCase& c, bool pairs) {
  const bool is_signed = c.weight_type == "int8";
  const auto codes = test::drawn_numbers(c.weights.element_count(), is_signed ? -127 : 1, is_signed ? 127 : 255, 1);
  const auto channels = static_cast<size_t>(c.weights[static_cast<size_t>(c.axis)]);
  std::vector<float> scales(c.each_channel ? channels : 1, 0.25F), bias;
  for (size_t o = 0; o < scales.size(); ++o) scales[o] = std::ldexp(1.0F, -static_cast<int>(o % 3));
  for (size_t o = 0; o < channels; ++o) bias.push_back(0.125F * static_cast<float>(static_cast<int>(o) - 3));
  const std::string count = "[" + std::to_string(scales.size()) + "]";
  const std::string shape = "[" + std::to_string(c.weights[0]) + "," + std::to_string(c.weights[1]) + "]";
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float" + c.input + " x) => (float[N] y)\n<float s = {0.5}, " +
      c.data_type + " z = {" + std::to_string(c.zero_point) + "}, float[" + std::to_string(channels) + "] b = " +
      test::number_list<float>(bias) + ", " + c.weight_type + shape + " q = " + test::number_list<int64_t>(codes) +
      ", float" + count + " ws = " + test::number_list<float>(scales) + ", " + c.weight_type + count +
      " wz = " + test::number_list<int64_t>(std::vector<int64_t>(scales.size(), c.weight_zero_point)) +
      ">\n{ k = QuantizeLinear (x, s, z) " + (pairs ? "d" : "e") + " = DequantizeLinear (k, s, z) " +
      (pairs ? "" : "d = Identity (e) ") + "w = DequantizeLinear <axis = " + std::to_string(c.axis) +
      "> (q, ws, wz) y = " + c.product + " }");
}

Tensor run_product(const Model& model) {
  const auto declared = *model.graph().value(model.graph().inputs()[0]).declared_shape;
  Tensor x(DataType::Float32, Shape(std::span<const int64_t>(declared)));
  const auto drawn = test::drawn_numbers(x.element_count(), -100, 100, 2);
  for (size_t i = 0; i < drawn.size(); ++i) x.mutable_data<float>()[i] = static_cast<float>(drawn[i]) * 0.5F;
  return run_once(model.graph(), {{x}}, model.graph().outputs()).front();
}

bool takes_codes(const Model& model) {
  const Graph& graph = model.graph();
  const Node& node = *graph.producer(graph.outputs()[0]);
  return find_operator("", node.op_type, 17)->sums_codes({graph, node, 17});
}

class IntegerProduct : public testing::TestWithParam<ProductCase> {};

TEST_P(IntegerProduct, EqualsTheFloatProductWhereThatIsExact) {
  const ProductCase& c = GetParam();
  const Model pairs = product_model(c, true), floats = product_model(c, false);
  if (!takes_codes(product_model({.product = "MatMul (d, w)"}, true)))
    GTEST_SKIP() << "this processor has no 8-bit dot products";
  EXPECT_EQ(takes_codes(pairs), c.takes_codes);
  EXPECT_FALSE(takes_codes(floats));
  const Tensor ours = run_product(pairs), expected = run_product(floats);
  ASSERT_EQ(ours.shape(), expected.shape());
  for (size_t i = 0; i < expected.data<float>().size(); ++i)
    ASSERT_EQ(ours.data<float>()[i], expected.data<float>()[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, IntegerProduct,
    testing::Values(
        ProductCase{.name = "MatMul", .product = "MatMul (d, w)"},
        ProductCase{.name = "OneRow", .product = "MatMul (d, w)", .input = "[1, 48]"},
        ProductCase{.name = "AVector", .product = "MatMul (d, w)", .input = "[48]"},
        ProductCase{.name = "SeveralMatrices", .product = "MatMul (d, w)", .input = "[2, 3, 5, 48]"},
        ProductCase{.name = "UnsignedData", .product = "MatMul (d, w)", .data_type = "uint8", .zero_point = 131},
        ProductCase{.name = "ZeroPointOfSignedData", .product = "MatMul (d, w)", .zero_point = -20},
        ProductCase{.name = "OneScaleForAllWeights", .product = "MatMul (d, w)", .each_channel = false},
        ProductCase{
            .name = "UnsignedWeights", .product = "MatMul (d, w)", .weight_type = "uint8", .weight_zero_point = 128},
        ProductCase{.name = "ScaleForEachRow", .product = "MatMul (d, w)", .axis = 0, .takes_codes = false},
        ProductCase{.name = "GemmWithBias", .product = "Gemm (d, w, b)"},
        ProductCase{.name = "GemmWithPartOfTheBias", .product = "Gemm <beta = 0.5> (d, w, b)"},
        ProductCase{.name = "GemmOfTransposedWeights",
                    .product = "Gemm <transB = 1> (d, w, b)",
                    .weights = {20, 48},
                    .axis = 0},
        ProductCase{.name = "GemmOfTransposedData",
                    .product = "Gemm <transA = 1> (d, w, b)",
                    .input = "[48, 6]",
                    .takes_codes = false},
        ProductCase{.name = "GemmTimesAlpha", .product = "Gemm <alpha = 0.5> (d, w, b)", .takes_codes = false}),
    [](const auto& test) { return test.param.name; });

// Codes of one sign in a long sum: the float sum of the dequantized numbers would be off by more.
TEST(IntegerProduct, RoundsOnlyTheResult) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,4608] x) => (float[N] y)
    <float s = {0.1}, int8 z = {0}, float ws = {0.003}, int8 wz = {0}, int64[2] shape = {4608, 16}, float weight = {0.3}>
    { k = QuantizeLinear (x, s, z) d = DequantizeLinear (k, s, z)
      f = Expand (weight, shape) q = QuantizeLinear (f, ws, wz) w = DequantizeLinear (q, ws, wz) y = MatMul (d, w) })");
  if (!takes_codes(product_model({.product = "MatMul (d, w)"}, true)))
    GTEST_SKIP() << "this processor has no 8-bit dot products";
  Tensor x(DataType::Float32, Shape{1, 4608});
  std::ranges::fill(x.mutable_data<float>(), 12.7F);
  const Tensor y = run_once(model.graph(), {{x}}, model.graph().outputs()).front();
  // 100 steps of 0.003 are the weight 0.3; the product of both scales is rounded, and so are the sum and its product
  // with it.
  const double exact = 4608.0 * 127 * 100 * (double{0.1F} * double{0.003F});
  for (const float one : y.data<float>()) EXPECT_NEAR(one, exact, 3 * std::ldexp(exact, -24));
}

}  // namespace
}  // namespace detent
