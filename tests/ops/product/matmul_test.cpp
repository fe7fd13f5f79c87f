#include <gtest/gtest.h>

#include "ops/one_node.h"

namespace detent {
namespace {

using test::run_node;
using test::whole_numbers;

std::vector<float> product_values(const Tensor& tensor) {
  return {tensor.data<float>().begin(), tensor.data<float>().end()};
}

/// Computes c[m][n] = sum a[m][k] * b[k][n] for row-major matrices.
std::vector<float> naive_product(const float* a, const float* b, int64_t m, int64_t k, int64_t n) {
  std::vector<float> c(static_cast<size_t>(m * n), 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t t = 0; t < k; ++t) c[static_cast<size_t>(i * n + j)] += a[i * k + t] * b[t * n + j];
  return c;
}

TEST(MatMul, MultipliesMatrices) {
  const Tensor a = whole_numbers({5, 7}, 1);
  const Tensor b = whole_numbers({7, 33}, 2);
  for (const bool constant : {true, false})
    EXPECT_EQ(product_values(run_node("MatMul (a, b)", {a, b}, constant)),
              naive_product(a.data<float>().data(), b.data<float>().data(), 5, 7, 33));
}

TEST(MatMul, BroadcastsBatches) {
  const Tensor a = whole_numbers({2, 1, 3, 4}, 1);
  const Tensor b = whole_numbers({5, 4, 2}, 2);
  for (const bool constant : {true, false}) {
    const Tensor y = run_node("MatMul (a, b)", {a, b}, constant);
    ASSERT_EQ(y.shape(), (Shape{2, 5, 3, 2}));
    for (int64_t i = 0; i < 10; ++i) {
      const auto expected =
          naive_product(a.data<float>().data() + i / 5 * 12, b.data<float>().data() + i % 5 * 8, 3, 4, 2);
      for (size_t k = 0; k < 6; ++k) EXPECT_EQ(y.data<float>()[static_cast<size_t>(i) * 6 + k], expected[k]);
    }
  }
}

TEST(MatMul, TreatsVectorsAsNumpyDoes) {
  const Tensor v = Tensor::from<float>({3}, {1, 2, 3});
  const Tensor m = whole_numbers({3, 4}, 2);
  EXPECT_EQ(run_node("MatMul (a, b)", {v, m}, false).shape(), (Shape{4}));
  EXPECT_EQ(run_node("MatMul (a, b)", {whole_numbers({4, 3}, 1), v}, false).shape(), (Shape{4}));
  EXPECT_EQ(product_values(run_node("MatMul (a, b)", {v, v}, false)), (std::vector<float>{14}));
}

TEST(MatMul, RefusesExtentsThatDoNotMeet) {
  EXPECT_THROW(run_node("MatMul (a, b)", {whole_numbers({2, 3}, 1), whole_numbers({4, 2}, 2)}, false), Error);
}

TEST(Gemm, TransposesScalesAndAddsTheBias) {
  const Tensor a = whole_numbers({4, 3}, 1);  // transposed: 3 x 4
  const Tensor b = whole_numbers({5, 4}, 2);  // transposed: 4 x 5
  const Tensor c = whole_numbers({5}, 3);
  for (const bool constant : {true, false}) {
    const Tensor y = run_node("Gemm <alpha = 2.0, beta = 3.0, transA = 1, transB = 1> (a, b, c)", {a, b, c}, constant);
    ASSERT_EQ(y.shape(), (Shape{3, 5}));
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 5; ++j) {
        float sum = 0;
        for (size_t k = 0; k < 4; ++k) sum += a.data<float>()[k * 3 + i] * b.data<float>()[j * 4 + k];
        EXPECT_EQ(y.data<float>()[i * 5 + j], 2 * sum + 3 * c.data<float>()[j]);
      }
  }
}

TEST(Gemm, ScalesTheProductButNotABiasOfFactorOne) {
  const Tensor a = whole_numbers({2, 3}, 1);
  const Tensor b = whole_numbers({3, 2}, 2);
  const Tensor c = Tensor::from<float>({2}, {10, 20});
  for (const bool constant : {true, false}) {
    const auto product = product_values(run_node("Gemm (a, b)", {a, b}, constant));
    EXPECT_EQ(product_values(run_node("Gemm <alpha = 0.5> (a, b, c)", {a, b, c}, constant)),
              (std::vector<float>{product[0] / 2 + 10, product[1] / 2 + 20, product[2] / 2 + 10, product[3] / 2 + 20}));
  }
}

TEST(Gemm, BroadcastsTheBiasBothWays) {
  const Tensor a = whole_numbers({2, 3}, 1);
  const Tensor b = whole_numbers({3, 2}, 2);
  const auto product = product_values(run_node("Gemm (a, b)", {a, b}, true));
  const Tensor column = Tensor::from<float>({2, 1}, {10, 20});
  EXPECT_EQ(product_values(run_node("Gemm (a, b, c)", {a, b, column}, true)),
            (std::vector<float>{product[0] + 10, product[1] + 10, product[2] + 20, product[3] + 20}));
  const Tensor row = Tensor::from<float>({1, 2}, {10, 20});
  EXPECT_EQ(product_values(run_node("Gemm (a, b, c)", {a, b, row}, true)),
            (std::vector<float>{product[0] + 10, product[1] + 20, product[2] + 10, product[3] + 20}));
  EXPECT_THROW(run_node("Gemm (a, b, c)", {a, b, whole_numbers({3}, 4)}, true), Error);
}

}  // namespace
}  // namespace detent
