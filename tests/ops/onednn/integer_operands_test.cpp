#include "ops/onednn/integer_operands.h"

#include <gtest/gtest.h>

#include <cmath>

#include "exec/executor.h"
#include "model/model.h"
#include "ops/onednn/drawn_numbers.h"

namespace detent {
namespace {

std::string dims(const Shape& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}

/// A Conv between pairs whose scales are powers of two, so that every product, sum and result is exact in float.
struct IntegerCase {
  std::string name;
  Shape input, weights;
  std::string attributes;
  std::string data_type = "int8", weight_type = "int8";
  int zero_point = 0, weight_zero_point = 0;
  bool each_channel = true, bias = true;
  std::string behind = "";  ///< reads c, writes y
};

void PrintTo(const IntegerCase& c, std::ostream* out) { *out << c.name; }

/// Returns the model: with `pairs` between pairs, otherwise the same numbers as plain floats, convolved by float
/// kernels.
Model integer_model(const IntegerCase& c, bool pairs) {
  const auto channels = static_cast<size_t>(c.weights[0]);
  const auto weights = test::drawn_numbers(c.weights.element_count(), c.weight_type == "int8" ? -127 : 1,
                                           c.weight_type == "int8" ? 127 : 255, 1);
  std::vector<float> scales(c.each_channel ? channels : 1, 0.25F);
  for (size_t o = 0; o < scales.size(); ++o) scales[o] = std::ldexp(1.0F, -static_cast<int>(o % 3));
  std::vector<int64_t> zeros(scales.size(), c.weight_zero_point);
  std::vector<float> bias, plain;
  for (size_t o = 0; o < channels; ++o) bias.push_back(0.125F * static_cast<float>(static_cast<int>(o) - 3));
  const size_t per_channel = weights.size() / channels;
  for (size_t i = 0; i < weights.size(); ++i)
    plain.push_back(static_cast<float>(weights[i] - c.weight_zero_point) *
                    scales[c.each_channel ? i / per_channel : 0]);
  const std::string count = "[" + std::to_string(scales.size()) + "]";
  const std::string in = dims(c.input), kernel = dims(c.weights);
  std::string text = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float" + in +
                     " x) => (float[N] y)\n<float s = {0.5}, " + c.data_type + " z = {" + std::to_string(c.zero_point) +
                     "}";
  if (c.bias)
    text += ", float[" + std::to_string(channels) + "] b = " + test::number_list(std::span<const float>(bias));
  if (pairs)
    text += ", " + c.weight_type + kernel + " q = " + test::number_list(std::span<const int64_t>(weights)) + ", float" +
            count + " ws = " + test::number_list(std::span<const float>(scales)) + ", " + c.weight_type + count +
            " wz = " + test::number_list(std::span<const int64_t>(zeros));
  else
    text += ", float" + kernel + " w = " + test::number_list(std::span<const float>(plain));
  text += ">\n{ k = QuantizeLinear (x, s, z) e = DequantizeLinear (k, s, z) ";
  // Behind an Identity the codes are not known.
  text += pairs ? "w = DequantizeLinear <axis = 0> (q, ws, wz) " : "d = Identity (e) ";
  const std::string conv = "Conv " + (c.attributes.empty() ? "" : "<" + c.attributes + "> ") + "(" +
                           (pairs ? "e" : "d") + (c.bias ? ", w, b)" : ", w)");
  text += c.behind.empty() ? "y = " + conv : "c = " + conv + " " + c.behind;
  return parse_model_text(text + " }");
}

Tensor run_integer(const Model& model, const Shape& shape) {
  Tensor x(DataType::Float32, shape);
  const auto drawn = test::drawn_numbers(shape.element_count(), -100, 100, 2);
  for (size_t i = 0; i < drawn.size(); ++i) x.mutable_data<float>()[i] = static_cast<float>(drawn[i]) * 0.5F;
  return to_plain(run_once(model.graph(), {{x}}, model.graph().outputs()).front());
}

std::unique_ptr<const IntegerOperands> operands_of(const Model& model) {
  for (const Node& node : model.graph().nodes())
    if (node.op_type == "Conv") return IntegerOperands::find({model.graph(), node, 17});
  return nullptr;
}

class IntegerConvolution : public testing::TestWithParam<IntegerCase> {};

TEST_P(IntegerConvolution, EqualsTheFloatSumWhereThatIsExact) {
  const IntegerCase& c = GetParam();
  const Model pairs = integer_model(c, true);
  if (!operands_of(integer_model({.input = {1, 1, 1, 1}, .weights = {1, 1, 1, 1}}, true)))
    GTEST_SKIP() << "this processor has no 8-bit dot products";
  ASSERT_TRUE(operands_of(pairs));
  const Tensor ours = run_integer(pairs, c.input), expected = run_integer(integer_model(c, false), c.input);
  ASSERT_EQ(ours.shape(), expected.shape());
  for (size_t i = 0; i < expected.data<float>().size(); ++i)
    ASSERT_EQ(ours.data<float>()[i], expected.data<float>()[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, IntegerConvolution,
    testing::Values(
        IntegerCase{
            .name = "Signed", .input = {1, 16, 9, 7}, .weights = {24, 16, 3, 3}, .attributes = "pads = [1,1,1,1]"},
        IntegerCase{.name = "PaddingIsTheZeroPoint",
                    .input = {1, 16, 9, 7},
                    .weights = {24, 16, 3, 3},
                    .attributes = "pads = [2,1,0,1]",
                    .data_type = "uint8",
                    .zero_point = 131},
        IntegerCase{.name = "UnsignedWithoutZeroPoint",
                    .input = {2, 8, 5, 5},
                    .weights = {8, 8, 1, 1},
                    .attributes = "strides = [2,2]",
                    .data_type = "uint8"},
        IntegerCase{.name = "ZeroPointOfSignedData",
                    .input = {1, 8, 5, 5},
                    .weights = {8, 8, 3, 3},
                    .attributes = "pads = [1,1,1,1]",
                    .zero_point = -20},
        IntegerCase{.name = "OneScaleForAllWeights",
                    .input = {1, 3, 8, 8},
                    .weights = {5, 3, 3, 3},
                    .attributes = "dilations = [2,2]",
                    .each_channel = false},
        IntegerCase{.name = "UnsignedWeights",
                    .input = {1, 4, 6, 6},
                    .weights = {4, 4, 3, 3},
                    .attributes = "pads = [1,1,1,1]",
                    .weight_type = "uint8",
                    .weight_zero_point = 128},
        IntegerCase{.name = "Depthwise",
                    .input = {1, 20, 6, 6},
                    .weights = {20, 1, 3, 3},
                    .attributes = "group = 20, pads = [1,1,1,1]",
                    .data_type = "uint8",
                    .zero_point = 100},
        IntegerCase{.name = "Groups",
                    .input = {1, 12, 6, 6},
                    .weights = {8, 3, 3, 3},
                    .attributes = "group = 4",
                    .bias = false},
        IntegerCase{.name = "OneAxis", .input = {1, 6, 30}, .weights = {4, 6, 5}, .attributes = "pads = [2,2]"},
        IntegerCase{.name = "ThreeAxes",
                    .input = {1, 8, 5, 4, 6},
                    .weights = {8, 8, 3, 3, 3},
                    .attributes = "pads = [1,1,1,1,1,1]"},
        IntegerCase{.name = "ReluBehind",
                    .input = {1, 16, 6, 6},
                    .weights = {16, 16, 3, 3},
                    .attributes = "pads = [1,1,1,1]",
                    .behind = "y = Relu (c)"},
        IntegerCase{.name = "ResidualAndReluBehind",
                    .input = {1, 16, 6, 6},
                    .weights = {16, 16, 3, 3},
                    .attributes = "pads = [1,1,1,1]",
                    .behind = "r = Abs (x) a = Add (c, r) y = Relu (a)"}),
    [](const auto& test) { return test.param.name; });

// Codes of one sign in a long sum: the float sum of the dequantized numbers would be off by more.
TEST(IntegerConvolution, RoundsOnlyTheResult) {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,4608,1,1] x) => (float[N] y) <float s = {0.1}, int8 z = {0}, float ws = {0.003}, int8 wz = {0}, int64[4] shape = {16, 4608, 1, 1}, float weight = {0.3}>
    { k = QuantizeLinear (x, s, z) d = DequantizeLinear (k, s, z)
      f = Expand (weight, shape) q = QuantizeLinear (f, ws, wz) w = DequantizeLinear (q, ws, wz) y = Conv (d, w) })";
  const Model model = parse_model_text(text);
  if (!operands_of(integer_model({.input = {1, 1, 1, 1}, .weights = {1, 1, 1, 1}}, true)))
    GTEST_SKIP() << "this processor has no 8-bit dot products";
  Tensor x(DataType::Float32, Shape{1, 4608, 1, 1});
  std::ranges::fill(x.mutable_data<float>(), 12.7F);
  const Tensor y = to_plain(run_once(model.graph(), {{x}}, model.graph().outputs()).front());
  // 100 steps of 0.003 are the weight 0.3; the product of both scales is rounded, and so are the sum and its product
  // with it.
  const double exact = 4608.0 * 127 * 100 * (double{0.1F} * double{0.003F});
  for (const float one : y.data<float>()) EXPECT_NEAR(one, exact, 3 * std::ldexp(exact, -24));
}

/// Returns the text of a Conv between pairs with one part replaced.
Model with(std::string part, const std::string& replacement) {
  std::string text = R"(<ir_version: 10, opset_import: ["" : 21]>
    g (float[1,2,4,4] x, float[2] given, float scale) => (float[N] y)
    <float s = {0.5}, uint8 z = {3}, int8[2,2,1,1] q = {1, 2, 3, 4}, float[2] ws = {0.5, 0.25}, int8[2] wz = {0, 0},
     float[2] b = {1, 2}>
    { k = QuantizeLinear (x, s, z) d = DequantizeLinear (k, s, z) w = DequantizeLinear <axis = 0> (q, ws, wz) y = Conv (d, w, b) })";
  if (!part.empty()) text.replace(text.find(part), part.size(), replacement);
  return parse_model_text(text);
}

TEST(IntegerOperands, AreFoundBetweenPairs) {
  const auto found = operands_of(with("", ""));
  if (!found) GTEST_SKIP() << "this processor has no 8-bit dot products";
  EXPECT_EQ(found->source_type(), dnnl::memory::data_type::u8);
  EXPECT_EQ(found->bias().data<float>()[0], 4.0F);   // 1 / (0.5 * 0.5)
  EXPECT_EQ(found->bias().data<float>()[1], 16.0F);  // 2 / (0.5 * 0.25)
  Tensor x(DataType::Float32, Shape{2});
  x.mutable_data<float>()[0] = -1.5F;
  x.mutable_data<float>()[1] = 126.0F;
  const Tensor codes = found->codes(x, Allocator::heap());
  EXPECT_EQ(codes.data<uint8_t>()[0], 0);
  EXPECT_EQ(codes.data<uint8_t>()[1], 255);
}

// Read as the wrong type, codes of the other half of the range would be clipped away.
TEST(IntegerOperands, KnowTheTypeOfCodesWithoutZeroPoint) {
  if (!operands_of(with("", ""))) GTEST_SKIP() << "this processor has no 8-bit dot products";
  const std::string plain = "k = QuantizeLinear (x, s, z) d = DequantizeLinear (k, s, z)";
  const auto type = [&](const std::string& pair) {
    const auto found = operands_of(with(plain, pair));
    return found ? found->source_type() : dnnl::memory::data_type::undef;
  };
  EXPECT_EQ(type("k = QuantizeLinear (x, s) d = DequantizeLinear (k, s)"), dnnl::memory::data_type::u8);
  EXPECT_EQ(type("k = QuantizeLinear <output_dtype = 3> (x, s) d = DequantizeLinear (k, s)"),
            dnnl::memory::data_type::s8);
  EXPECT_EQ(type("k = QuantizeLinear <output_dtype = 4> (x, s) d = DequantizeLinear (k, s)"),
            dnnl::memory::data_type::undef)
      << "16 bits";
  EXPECT_EQ(type("k = QuantizeLinear (x, s, z) i = Identity (k) d = DequantizeLinear (i, s)"),
            dnnl::memory::data_type::undef)
      << "the type is not known";
}

TEST(IntegerOperands, AreNotFoundWhereASumOfIntegersWouldBeAnotherNumber) {
  EXPECT_FALSE(operands_of(with("Conv (d, w, b)", "Conv (x, w, b)"))) << "float data";
  EXPECT_FALSE(operands_of(with("Conv (d, w, b)", "Conv (d, w, given)"))) << "a bias that is not constant";
  EXPECT_FALSE(operands_of(with("d = DequantizeLinear (k, s, z)", "d = DequantizeLinear (k, scale, z)")))
      << "a scale that is not";
  EXPECT_FALSE(operands_of(with("<axis = 0>", "<axis = 1>"))) << "scales of input channels";
  EXPECT_FALSE(operands_of(with("0.5, 0.25}", "0.5, 0}"))) << "a scale of zero";
  EXPECT_FALSE(operands_of(with("wz = {0, 0}", "wz = {0, -127}"))) << "4 + 127 leaves 8 bits";
}

}  // namespace
}  // namespace detent
