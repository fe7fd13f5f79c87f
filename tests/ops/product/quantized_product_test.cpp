// Products of integers and doubles, and the operators that carry scales and zero points.

#include <algorithm>
#include <array>

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::integers;
using test::run_node;
using test::run_one;
using testing::ElementsAre;

template <class T>
Tensor random_bytes(const Shape& shape, uint32_t state) {
  Tensor tensor(data_type_of<T>, shape);
  for (T& x : tensor.mutable_data<T>()) x = static_cast<T>((state = state * 1664525u + 1013904223u) >> 24);
  return tensor;
}

TEST(MatMulInteger, IsExactWithZeroPointsOfRowsAndColumns) {
  const Tensor a = random_bytes<uint8_t>({2, 3, 300}, 1), b = random_bytes<int8_t>({300, 4}, 2);
  const Tensor a_zero = Tensor::from<uint8_t>({3}, {0, 128, 255}),
               b_zero = Tensor::from<int8_t>({4}, {-128, 0, 1, 127});
  std::vector<int64_t> expected;
  for (size_t row = 0; row < 6; ++row)
    for (size_t c = 0; c < 4; ++c) {
      int64_t sum = 0;
      for (size_t k = 0; k < 300; ++k)
        sum +=
            (integers(a)[row * 300 + k] - integers(a_zero)[row % 3]) * (integers(b)[k * 4 + c] - integers(b_zero)[c]);
      expected.push_back(sum);
    }
  const Tensor output = run_one("y = MatMulInteger(a, b, c, d)", {a, b, a_zero, b_zero});
  EXPECT_EQ(output.type(), DataType::Int32);
  EXPECT_EQ(integers(output), expected);
}

/// Returns a MatMulInteger of a constant right-hand side.
Tensor by_constant(const Tensor& a, const Tensor& b, const Tensor& point, CpuProducts products) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (uint8 a, int8 b, uint8 c) => (int32 y) { y = MatMulInteger(a, b, "
      "c) }");
  const Graph& graph = model.graph();
  const Node& node = graph.node(NodeId{0});
  ValueMap<Tensor> folded(graph.values().size());
  folded[*node.input(1)] = b;
  const KernelContext context{.graph = graph, .node = node, .opset = 17, .folded = &folded, .products = products};
  const auto kernel = find_operator("", node.op_type, 17)->make(context);
  std::vector<Tensor> inputs{a, b, point}, outputs(1);
  Workspace workspace;
  KernelCall call(inputs, outputs, {}, Allocator::heap(), workspace);
  kernel->run(call);
  return outputs.front();
}

constexpr std::array<int64_t, 3> kSizes[] = {{1, 1, 1}, {3, 37, 5}, {70, 300, 33}};  // rows, inner, columns

// The form of dynamic quantization: a constant INT8 matrix, and one zero point for data of any rank.
TEST(MatMulInteger, ByAConstantMatrixIsThatByOneThatVaries) {
  for (const auto& [rows, inner, columns] : kSizes) {
    const Tensor a = random_bytes<uint8_t>({2, rows, inner}, 5), b = random_bytes<int8_t>({inner, columns}, 6);
    for (const int zero : {0, 1, 128, 255}) {
      const Tensor point = Tensor::scalar<uint8_t>(static_cast<uint8_t>(zero));
      const Tensor varies = run_one("y = MatMulInteger(a, b, c)", {a, b, point});
      const Tensor constant = by_constant(a, b, point, CpuProducts::Exact);
      EXPECT_EQ(constant.shape(), varies.shape());
      EXPECT_EQ(integers(constant), integers(varies)) << rows << " x " << inner << " x " << columns << ", " << zero;
    }
  }
}

TEST(MatMulInteger, ByAConstantMatrixSaturatesPairsWhereCpusDo) {
  const auto saturated = [](int64_t sum) { return std::clamp<int64_t>(sum, -32768, 32767); };
  for (const auto& [rows, inner, columns] : kSizes) {
    const Tensor a = random_bytes<uint8_t>({rows, inner}, 7), b = random_bytes<int8_t>({inner, columns}, 8);
    const std::vector<int64_t> codes = integers(a), weights = integers(b);
    const auto product = [&](int64_t r, int64_t k, int64_t c) {
      return k < inner ? codes[static_cast<size_t>(r * inner + k)] * weights[static_cast<size_t>(k * columns + c)] : 0;
    };
    std::vector<int64_t> expected;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        int64_t sum = 0;
        for (int64_t k = 0; k < inner; k += 2) sum += saturated(product(r, k, c) + product(r, k + 1, c));
        for (int64_t k = 0; k < inner; ++k) sum -= 100 * weights[static_cast<size_t>(k * columns + c)];
        expected.push_back(sum);
      }
    EXPECT_EQ(integers(by_constant(a, b, Tensor::scalar<uint8_t>(100), CpuProducts::Avx2)), expected) << inner;
  }
}

TEST(MatMulInteger, RefusesWhatDoesNotFit) {
  const Tensor a = random_bytes<uint8_t>({2, 3}, 1), b = random_bytes<uint8_t>({4, 2}, 2),
               square = random_bytes<uint8_t>({3, 3}, 2);
  EXPECT_THROW(run_one("y = MatMulInteger(a, b)", {a, b}), Error);
  EXPECT_THROW(run_one("y = MatMulInteger(a, b, c)", {a, square, Tensor::from<uint8_t>({3}, {0, 0, 0})}), Error);
}

TEST(ConvInteger, CountsPaddingAsTheZeroPoint) {
  // two groups, stride 2, dilation 2, unequal pads
  const Tensor x = random_bytes<uint8_t>({2, 4, 6, 5}, 3), w = random_bytes<int8_t>({6, 2, 3, 2}, 4);
  const Tensor w_zero = Tensor::from<int8_t>({6}, {0, 1, -1, 5, 7, -9});
  std::vector<int64_t> expected;
  const auto xs = integers(x), ws = integers(w), zs = integers(w_zero);
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t m = 0; m < 6; ++m)
      for (int64_t oy = 0; oy < 3; ++oy)
        for (int64_t ox = 0; ox < 5; ++ox) {
          int64_t sum = 0;
          for (int64_t c = 0; c < 2; ++c)
            for (int64_t ky = 0; ky < 3; ++ky)
              for (int64_t kx = 0; kx < 2; ++kx) {
                const int64_t y = oy * 2 - 1 + ky * 2, xx = ox - 0 + kx * 2 - 1;
                if (y < 0 || y >= 6 || xx < 0 || xx >= 5) continue;
                sum += (xs[static_cast<size_t>(((n * 4 + m / 3 * 2 + c) * 6 + y) * 5 + xx)] - 100) *
                       (ws[static_cast<size_t>(((m * 2 + c) * 3 + ky) * 2 + kx)] - zs[static_cast<size_t>(m)]);
              }
          expected.push_back(sum);
        }
  const Tensor output =
      run_one("y = ConvInteger<group = 2, strides = [2, 1], dilations = [2, 2], pads = [1, 1, 2, 1]>(a, b, c, d)",
              {x, w, Tensor::scalar<uint8_t>(100), w_zero});
  EXPECT_EQ(output.shape(), (Shape{2, 6, 3, 5}));
  EXPECT_EQ(integers(output), expected);
  EXPECT_THROW(run_one("y = ConvInteger(a, b)", {x, w}), Error);  // 4 channels, weights for 2
}

TEST(QLinearMatMul, RoundsToEvenAndSaturates) {
  const Tensor a = Tensor::from<uint8_t>({1, 2}, {2, 4}),
               b = Tensor::from<uint8_t>({2, 4}, {1, 3, 255, 0, 0, 1, 255, 0});
  const Tensor one = Tensor::scalar(1.0F), zero = Tensor::scalar<uint8_t>(0);
  // sums 2, 10, 1530, 0; a quarter of them 0.5, 2.5, 382.5, 0
  const Tensor y = run_one("y = QLinearMatMul(a, b, c, d, e, f, g, h)",
                           {a, one, zero, b, one, zero, Tensor::scalar(4.0F), Tensor::scalar<uint8_t>(3)});
  EXPECT_THAT(integers(y), ElementsAre(3, 5, 255, 3));
  EXPECT_THROW(run_one("y = QLinearMatMul(a, b, c, d, e, f, g, h)",
                       {a, one, zero, b, Tensor::from<float>({3}, {1, 1, 1}), zero, one, zero}),
               Error);
}

TEST(QLinearConv, ScalesEveryOutputChannel) {
  const Tensor x = Tensor::from<int8_t>({1, 1, 3}, {1, 2, 3}), w = Tensor::from<int8_t>({2, 1, 1}, {10, -10});
  const Tensor zero = Tensor::scalar<int8_t>(0), scales = Tensor::from<float>({2}, {0.5F, 2});
  const Tensor bias = Tensor::from<int32_t>({2}, {2, 4});
  const Tensor y =
      run_one("y = QLinearConv(a, b, c, d, e, f, g, h, i)",
              {x, Tensor::scalar(1.0F), zero, w, scales, zero, Tensor::scalar(1.0F), Tensor::scalar<int8_t>(1), bias});
  EXPECT_THAT(integers(y), ElementsAre(7, 12, 17, -11, -31, -51));
}

TEST(DynamicQuantizeLinear, CoversTheDataAndZero) {
  const Tensor x = Tensor::from<float>({4}, {2, 2.55F, 5.1F, 3});
  const auto outputs = run_node("y, y1, y2 = DynamicQuantizeLinear(a)", {x}, {.opset = 11, .outputs = 3});
  EXPECT_NEAR(outputs[1].data<float>()[0], 0.02F, 1e-8);  // 5.1 / 255, one rounding
  EXPECT_THAT(integers(outputs[0]), ElementsAre(100, 128, 255, 150));
  EXPECT_THAT(integers(outputs[2]), ElementsAre(0));
  const auto zeros =
      run_node("y, y1, y2 = DynamicQuantizeLinear(a)", {Tensor::from<float>({2}, {0, 0})}, {.opset = 11, .outputs = 3});
  EXPECT_THAT(integers(zeros[0]), ElementsAre(0, 0));
}

TEST(MatMul, MultipliesDoublesAndIntegers) {
  const Tensor a = Tensor::from<double>({2, 1, 2}, {1, 2, 3, 4}), b = Tensor::from<double>({2}, {1e-12, 1});
  const Tensor y = run_one("y = MatMul(a, b)", {a, b});
  EXPECT_EQ(y.shape(), (Shape{2, 1}));
  EXPECT_THAT(y.data<double>(), ElementsAre(2 + 1e-12, 4 + 3e-12));
  const Tensor big = Tensor::from<int64_t>({1, 1}, {int64_t{1} << 40}), three = test::int64s({3}).reshaped({1, 1});
  EXPECT_THAT(integers(run_one("y = MatMul(a, b)", {big, three})), ElementsAre(int64_t{3} << 40));
  EXPECT_THROW(run_one("y = MatMul(a, b)", {a, big}), Error);
  EXPECT_THROW(run_one("y = MatMul(a, b)", {a, Tensor::from<double>({3}, {1, 2, 3})}), Error);
}

TEST(Gemm, MultipliesDoublesAndIntegers) {
  const Tensor a = Tensor::from<double>({2, 1}, {1, 2}), b = Tensor::from<double>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor c = Tensor::from<double>({3}, {10, 20, 30});
  EXPECT_THAT(run_one("y = Gemm<transA = 1, transB = 1, alpha = 2.0, beta = 0.5>(a, b, c)", {a, b, c}).data<double>(),
              ElementsAre(15, 32, 49));
  const Tensor i = Tensor::from<int32_t>({1, 2}, {3, -4}), j = Tensor::from<int32_t>({2, 1}, {5, 6});
  EXPECT_THAT(integers(run_one("y = Gemm(a, b)", {i, j})), ElementsAre(-9));
  EXPECT_THROW(run_one("y = Gemm(a, b, c)", {i, j, Tensor::from<int32_t>({2}, {1, 2})}), Error);
}

}  // namespace
}  // namespace detent
