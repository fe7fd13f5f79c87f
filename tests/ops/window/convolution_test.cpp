#include <gtest/gtest.h>

#include <algorithm>

#include "ops/one_node.h"

namespace detent {
namespace {

using test::run_node;
using test::whole_numbers;

/// The parameters of a convolution, for up to three spatial axes; missing axes have extent 1.
struct ConvolutionCase {
  Shape input, weights;
  std::vector<int64_t> strides, dilations, pads;  // pads: begins then ends
  int64_t group = 1;
  bool transposed = false;
  std::vector<int64_t> output_padding;
};

int64_t extent_at(const std::vector<int64_t>& values, size_t i, int64_t fallback) {
  return i < values.size() ? values[i] : fallback;
}

Shape output_shape(const ConvolutionCase& c) {
  const size_t axes = c.input.rank() - 2;
  Shape shape{c.input[0], c.transposed ? c.weights[1] * c.group : c.weights[0]};
  for (size_t i = 0; i < axes; ++i) {
    const int64_t reach = extent_at(c.dilations, i, 1) * (c.weights[i + 2] - 1) + 1;
    const int64_t pads = extent_at(c.pads, i, 0) + extent_at(c.pads, i + axes, 0);
    shape.push_back(c.transposed ? extent_at(c.strides, i, 1) * (c.input[i + 2] - 1) +
                                       extent_at(c.output_padding, i, 0) + reach - pads
                                 : (c.input[i + 2] + pads - reach) / extent_at(c.strides, i, 1) + 1);
  }
  return shape;
}

std::vector<int64_t> unravel(int64_t index, const Shape& shape) {
  std::vector<int64_t> position(shape.rank());
  for (size_t i = shape.rank(); i-- > 0;) {
    position[i] = index % shape[i];
    index /= shape[i];
  }
  return position;
}

/// Returns the position in `shape`, or -1 when it lies outside.
int64_t ravel(const std::vector<int64_t>& position, const Shape& shape) {
  int64_t index = 0;
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (position[i] < 0 || position[i] >= shape[i]) return -1;
    index = index * shape[i] + position[i];
  }
  return index;
}

/// Adds every weight element times every input element that it meets at its place by definition.
Tensor naive_convolution(const ConvolutionCase& c, const Tensor& x, const Tensor& w, const Tensor& bias) {
  Tensor y(DataType::Float32, output_shape(c));
  auto out = y.mutable_data<float>();
  const size_t axes = c.input.rank() - 2;
  for (int64_t o = 0; o < y.element_count(); ++o)
    out[static_cast<size_t>(o)] =
        bias.empty_handle() ? 0 : bias.data<float>()[static_cast<size_t>(unravel(o, y.shape())[1])];
  for (int64_t k = 0; k < w.element_count(); ++k) {
    const auto tap = unravel(k, w.shape());
    for (int64_t i = 0; i < x.element_count(); ++i) {
      const auto from = unravel(i, x.shape());
      const int64_t inputs = x.shape()[1] / c.group;
      const int64_t outputs = y.shape()[1] / c.group;
      std::vector<int64_t> to(from);
      const int64_t group = from[1] / inputs;
      if (c.transposed ? tap[0] != from[1] : (tap[0] / outputs != group || tap[1] != from[1] % inputs)) continue;
      to[1] = c.transposed ? group * outputs + tap[1] : tap[0];
      bool hits = true;
      for (size_t s = 0; s < axes; ++s) {
        const int64_t offset = extent_at(c.dilations, s, 1) * tap[s + 2] - extent_at(c.pads, s, 0);
        const int64_t stride = extent_at(c.strides, s, 1);
        if (c.transposed) {
          to[s + 2] = from[s + 2] * stride + offset;
        } else {
          const int64_t shifted = from[s + 2] - offset;
          hits = hits && shifted >= 0 && shifted % stride == 0;
          to[s + 2] = shifted / stride;
        }
      }
      const int64_t place = hits ? ravel(to, y.shape()) : -1;
      if (place >= 0)
        out[static_cast<size_t>(place)] +=
            x.data<float>()[static_cast<size_t>(i)] * w.data<float>()[static_cast<size_t>(k)];
    }
  }
  return y;
}

std::string int_list(const char* name, const std::vector<int64_t>& values) {
  if (values.empty()) return "";
  std::string text = std::string(name) + " = [";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? "," : "") + std::to_string(values[i]);
  return text + "], ";
}

void expect_equal(const ConvolutionCase& c, bool with_bias) {
  const Tensor x = whole_numbers(c.input, 1);
  const Tensor w = whole_numbers(c.weights, 2);
  const Tensor b = with_bias ? whole_numbers(Shape{output_shape(c)[1]}, 3) : Tensor();
  const std::string call = std::string(c.transposed ? "ConvTranspose" : "Conv") + " <" +
                           int_list("strides", c.strides) + int_list("dilations", c.dilations) +
                           int_list("pads", c.pads) + int_list("output_padding", c.output_padding) +
                           "group = " + std::to_string(c.group) + "> (a, b" + (with_bias ? ", c)" : ")");
  const Tensor expected = naive_convolution(c, x, w, b);
  std::vector<Tensor> tensors{x, w};
  if (with_bias) tensors.push_back(b);
  for (const bool constant : {true, false}) {
    const Tensor got = run_node(call, tensors, constant);
    ASSERT_EQ(got.shape(), expected.shape()) << call;
    const auto want = expected.data<float>();
    const auto have = got.data<float>();
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(have[i], want[i]) << call << " element " << i << " constant " << constant;
  }
}

TEST(Conv, EqualsTheDefinitionInOneTwoAndThreeDimensions) {
  expect_equal({.input = {2, 3, 11}, .weights = {4, 3, 3}}, true);
  expect_equal({.input = {2, 3, 7, 9}, .weights = {4, 3, 3, 2}}, true);
  expect_equal({.input = {1, 2, 4, 5, 6}, .weights = {3, 2, 2, 3, 2}}, false);
}

TEST(Conv, ObeysStridesDilationsAndUnequalPads) {
  expect_equal({.input = {1, 3, 9, 10}, .weights = {5, 3, 3, 3}, .strides = {2, 3}, .pads = {1, 0, 2, 1}}, true);
  expect_equal({.input = {1, 3, 12, 9}, .weights = {5, 3, 3, 2}, .dilations = {3, 2}, .pads = {2, 1, 0, 1}}, false);
  expect_equal({.input = {1, 3, 6, 6, 6}, .weights = {2, 3, 3, 3, 3}, .strides = {2, 1, 2}, .pads = {1, 1, 1, 1, 1, 1}},
               true);
}

TEST(Conv, KeepsGroupsApart) {
  expect_equal({.input = {2, 6, 5, 5}, .weights = {4, 3, 3, 3}, .pads = {1, 1, 1, 1}, .group = 2}, true);
  expect_equal({.input = {1, 32, 8, 8}, .weights = {32, 1, 3, 3}, .pads = {1, 1, 1, 1}, .group = 32}, true);
  expect_equal({.input = {1, 6, 5, 5}, .weights = {12, 1, 3, 3}, .group = 6}, false);
}

TEST(Conv, TakesTheChannelCountsOfRealNetworks) {
  expect_equal({.input = {1, 24, 7, 7}, .weights = {40, 24, 1, 1}}, true);
  expect_equal({.input = {1, 3, 16, 16}, .weights = {33, 3, 5, 5}, .strides = {2, 2}, .pads = {2, 2, 2, 2}}, true);
  expect_equal({.input = {1, 1, 16, 16}, .weights = {8, 1, 3, 3}, .pads = {1, 1, 1, 1}}, true);
}

TEST(Conv, GivesAnEmptyResultForAnEmptyBatch) {
  const Tensor y =
      run_node("Conv (a, b)", {Tensor(DataType::Float32, {0, 3, 8, 8}), whole_numbers({4, 3, 3, 3}, 1)}, true);
  EXPECT_EQ(y.shape(), (Shape{0, 4, 6, 6}));
}

TEST(Conv, PadsTheOddElementWhereAutoPadSays) {
  // 1x1x4, kernel 2, stride 1: SAME needs one element of padding. Ones as weights add two neighbours.
  const Tensor x = Tensor::from<float>({1, 1, 4}, {1, 2, 3, 4});
  const Tensor w = Tensor::from<float>({1, 1, 2}, {1, 1});
  const Tensor upper = run_node("Conv <auto_pad = \"SAME_UPPER\"> (a, b)", {x, w}, true);
  const Tensor lower = run_node("Conv <auto_pad = \"SAME_LOWER\"> (a, b)", {x, w}, true);
  EXPECT_EQ(std::vector<float>(upper.data<float>().begin(), upper.data<float>().end()),
            (std::vector<float>{3, 5, 7, 4}));
  EXPECT_EQ(std::vector<float>(lower.data<float>().begin(), lower.data<float>().end()),
            (std::vector<float>{1, 3, 5, 7}));
}

TEST(Conv, RefusesAnInputWithOtherChannels) {
  try {
    run_node("Conv (a, b)", {whole_numbers({1, 4, 8, 8}, 1), whole_numbers({4, 3, 3, 3}, 2)}, true);
    FAIL() << "accepted 4 channels for weights of 3";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the input has 4 channels, the weights expect 3"), std::string::npos)
        << error.what();
  }
}

TEST(ConvTranspose, EqualsTheDefinitionInOneTwoAndThreeDimensions) {
  expect_equal({.input = {2, 3, 5}, .weights = {3, 4, 3}, .strides = {2}, .transposed = true}, true);
  expect_equal({.input = {2, 3, 4, 5}, .weights = {3, 4, 3, 2}, .strides = {2, 3}, .transposed = true}, true);
  expect_equal({.input = {1, 4, 3, 2, 3}, .weights = {4, 2, 2, 2, 2}, .strides = {2, 2, 2}, .transposed = true}, true);
}

TEST(ConvTranspose, ObeysPadsDilationsGroupsAndOutputPadding) {
  expect_equal(
      {.input = {1, 3, 5, 5}, .weights = {3, 2, 3, 3}, .strides = {2, 2}, .pads = {1, 0, 0, 1}, .transposed = true},
      true);
  expect_equal({.input = {1, 3, 4, 4},
                .weights = {3, 2, 3, 3},
                .strides = {2, 2},
                .pads = {1, 1, 1, 1},
                .transposed = true,
                .output_padding = {1, 1}},
               true);
  expect_equal(
      {.input = {1, 3, 4, 4}, .weights = {3, 2, 2, 2}, .strides = {3, 3}, .transposed = true, .output_padding = {2, 1}},
      false);
  expect_equal({.input = {1, 4, 4, 4}, .weights = {4, 3, 3, 3}, .dilations = {2, 2}, .group = 2, .transposed = true},
               true);
}

TEST(ConvTranspose, FindsItsPadsFromTheOutputShape) {
  const Tensor x = whole_numbers({1, 2, 3, 3}, 1);
  const Tensor w = whole_numbers({2, 1, 3, 3}, 2);
  const Tensor y = run_node("ConvTranspose <strides = [2,2], output_shape = [6,6]> (a, b)", {x, w}, true);
  // 7 wide without pads; one element goes, at the beginning, for NOTSET halves towards the end.
  const Tensor same = run_node("ConvTranspose <strides = [2,2], pads = [1,1,0,0]> (a, b)", {x, w}, true);
  EXPECT_EQ(y.shape(), (Shape{1, 1, 6, 6}));
  for (size_t i = 0; i < 36; ++i) EXPECT_EQ(y.data<float>()[i], same.data<float>()[i]);
}

/// Returns the values of Conv followed by `chain`, which leads from v to y.
std::vector<float> conv_then(const std::string& chain, const Tensor& x, const Tensor& w) {
  const Model model =
      parse_model_text("<ir_version: 7, opset_import: [\"\" : 10]> g (" + test::text_type(x) + " a, " +
                       test::text_type(w) + " b) => (float[N] y) { v = Conv<pads = [1,1,1,1]>(a, b) " + chain + " }");
  const Tensor y = run_once(model.graph(), std::vector<Tensor>{x, w}, model.graph().outputs()).front();
  return {y.data<float>().begin(), y.data<float>().end()};
}

TEST(Conv, KeepsTheParametersOfTwoActivationsOfOneKind) {
  const Tensor x = whole_numbers({1, 16, 6, 5}, 1), w = whole_numbers({16, 16, 3, 3}, 2, 1);
  const auto plain = conv_then("y = Identity(v)", x, w);
  const auto relu = conv_then("u = LeakyRelu<alpha = 0.25>(v) y = Relu(u)", x, w);
  const auto leaky = conv_then("u = LeakyRelu<alpha = 0.25>(v) y = LeakyRelu<alpha = 0.5>(u)", x, w);
  const auto clip = conv_then("u = Clip<min = -4.0, max = 4.0>(v) y = Clip<min = 1.0, max = 9.0>(u)", x, w);
  for (size_t i = 0; i < plain.size(); ++i) {
    ASSERT_EQ(relu[i], std::max(plain[i], 0.0F));
    ASSERT_EQ(leaky[i], plain[i] < 0 ? plain[i] / 8 : plain[i]);
    ASSERT_EQ(clip[i], std::clamp(plain[i], 1.0F, 4.0F));
  }
}

TEST(Conv, OfSinglePixelsHasTheSameBitsForSeveralImages) {
  // Only the first kind joins the pixels of all images in one row.
  for (const char* attributes : {"kernel_shape = [1, 1]", "strides = [2, 1]", "pads = [1, 0, 0, 0]", "group = 4"}) {
    SCOPED_TRACE(attributes);
    for (const int64_t side : {1, 2, 5}) {
      const bool grouped = std::string(attributes).starts_with("group");
      const Tensor x = test::whole_numbers({3, 24, side, side}, 1),
                   w = test::whole_numbers({40, grouped ? 6 : 24, 1, 1}, 2);
      const std::string node = "Conv <" + std::string(attributes) + "> (a, b)";
      const Tensor all = run_node(node, {x, w}, true);
      const int64_t each = all.element_count() / 3;
      for (int64_t i = 0; i < 3; ++i) {
        const Tensor one = run_node(node, {x.slice0(i, i + 1).clone(), w}, true);
        ASSERT_EQ(one.element_count(), each);
        EXPECT_TRUE(std::ranges::equal(one.data<float>(), all.data<float>().subspan(i * each, each))) << i;
      }
    }
  }
}

TEST(Conv, OfSinglePixelsAddsTheResidualOfEachImage) {
  for (const Shape& shape : {Shape{3, 24, 1}, Shape{3, 24, 2, 2}, Shape{2, 24, 1, 1}, Shape{2, 24, 2, 1, 3}}) {
    SCOPED_TRACE(shape.to_string());
    Shape kernel{24, 24};
    while (kernel.rank() < shape.rank()) kernel.push_back(1);
    const Tensor x = whole_numbers(shape, 1), w = whole_numbers(kernel, 2), r = whole_numbers(shape, 3);
    const Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g (" + test::text_type(x) +
                                         " a, " + test::text_type(w) + " b, " + test::text_type(r) +
                                         " r) => (float[N] y) { v = Conv (a, b)  y = Add (v, r) }");
    const auto run = [&](bool fuse) {
      OutputKeeper keeper(model.graph(), model.graph().outputs());
      const Schedule schedule(model.graph(), model.graph().outputs(), {.fuse = fuse});
      EXPECT_EQ(schedule.steps().size(), fuse ? 1U : 2U);
      Executor(schedule).run(std::vector<Tensor>{x, w, r}, keeper);
      return keeper.take().front();
    };
    EXPECT_TRUE(std::ranges::equal(run(true).data<float>(), run(false).data<float>())) << "whole numbers are exact";
  }
}

}  // namespace
}  // namespace detent
