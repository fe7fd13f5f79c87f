// Attention, rotary embeddings and affine grids.

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::expect_close;
using test::run_node;
using test::run_one;
using test::values;
using testing::ElementsAre;

double get(const Tensor& tensor, int64_t i) {
  return static_cast<double>(tensor.data<float>()[static_cast<size_t>(i)]);
}

/// Batch 1, query heads share key heads; keys beyond `last(q)` are masked.
template <class Last>
std::vector<double> naive_attention(const Tensor& q, const Tensor& k, const Tensor& v, Last last) {
  const int64_t heads = q.shape()[1], queries = q.shape()[2], size = q.shape()[3], keys = k.shape()[2];
  std::vector<double> out;
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < queries; ++i) {
      const int64_t kv = h / (heads / k.shape()[1]);
      std::vector<double> sums(static_cast<size_t>(size));
      double total = 0;
      for (int64_t j = 0; j < keys && j <= last(i); ++j) {
        double score = 0;
        for (int64_t d = 0; d < size; ++d)
          score += get(q, (h * queries + i) * size + d) * get(k, (kv * keys + j) * size + d);
        const double weight = std::exp(score / std::sqrt(static_cast<double>(size)));
        total += weight;
        for (int64_t d = 0; d < size; ++d) sums[static_cast<size_t>(d)] += weight * get(v, (kv * keys + j) * size + d);
      }
      for (const double sum : sums) out.push_back(sum / total);
    }
  return out;
}

const Tensor kQuery = test::ramp({1, 4, 3, 2}), kKey = test::ramp({1, 2, 5, 2}, -2, 2),
             kValue = test::ramp({1, 2, 5, 2}, 0, 1);

// Sums of 2 and 5 products and a softmax of scores below 9, in float: 9 * 2^-23 of a weight, and a few ulps.
TEST(Attention, SharesKeyHeadsAndMasksTheFuture) {
  expect_close(run_one("y = Attention(a, b, c)", {kQuery, kKey, kValue}, {23}), {1, 4, 3, 2},
               naive_attention(kQuery, kKey, kValue, [](int64_t) { return 9; }), 1e-6, 1e-9);
  expect_close(run_one("y = Attention<is_causal = 1>(a, b, c)", {kQuery, kKey, kValue}, {23}), {1, 4, 3, 2},
               naive_attention(kQuery, kKey, kValue, [](int64_t i) { return i; }), 1e-6, 1e-9);
}

TEST(Attention, SplitsHeadsOfFlatInputs) {
  // one head: both forms are the same memory
  const Tensor q = test::ramp({1, 1, 3, 2}), k = test::ramp({1, 1, 5, 2}, -2, 2);
  const Tensor flat = run_one("y = Attention<q_num_heads = 1, kv_num_heads = 1>(a, b, c)",
                              {q.reshaped({1, 3, 2}), k.reshaped({1, 5, 2}), k.reshaped({1, 5, 2})}, {23});
  expect_close(flat, {1, 3, 2}, naive_attention(q, k, k, [](int64_t) { return 9; }), 1e-6, 1e-9);
  EXPECT_THROW(
      run_one("y = Attention(a, b, c)", {q.reshaped({1, 3, 2}), k.reshaped({1, 5, 2}), k.reshaped({1, 5, 2})}, {23}),
      Error);
}

TEST(Attention, PutsThePastInFront) {
  const Tensor now = test::ramp({1, 2, 1, 2}), query = test::ramp({1, 4, 1, 2});
  const auto outputs = run_node("y, y1, y2 = Attention<is_causal = 1>(a, b, c, , e, f)",
                                {query, now, now, Tensor(), kKey, kValue}, {.opset = 23, .outputs = 3});
  ASSERT_EQ(outputs[1].shape(), (Shape{1, 2, 6, 2}));
  EXPECT_EQ(get(outputs[1], 0), get(kKey, 0));
  EXPECT_EQ(get(outputs[1], 10), get(now, 0));
  expect_close(outputs[0], {1, 4, 1, 2}, naive_attention(query, outputs[1], outputs[2], [](int64_t) { return 9; }),
               1e-6, 1e-9);
}

TEST(Attention, TakesMasksOfEitherKindAndShortOnes) {
  const Tensor allowed = Tensor::from<bool>({3, 5}, {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0});
  const Tensor added = Tensor::from<float>({3, 3}, {0, -INFINITY, -INFINITY, 0, 0, -INFINITY, 0, 0, 0});
  const auto expected = naive_attention(kQuery, kKey, kValue, [](int64_t i) { return i; });
  for (const Tensor& mask : {allowed, added})
    expect_close(run_one("y = Attention(a, b, c, d)", {kQuery, kKey, kValue, mask}, {23}), {1, 4, 3, 2}, expected, 1e-6,
                 1e-9);
  EXPECT_THROW(run_one("y = Attention(a, b, c, d)", {kQuery, kKey, kValue, test::ramp({2, 5})}, {23}), Error);
}

TEST(Attention, LeavesOutTheEndOfAStaticCache) {
  // 4 of 5 keys are valid, so the 3 queries are keys 1, 2 and 3
  const std::vector<Tensor> inputs{kQuery, kKey, kValue, Tensor(), Tensor(), Tensor(), test::int64s({4})};
  expect_close(run_one("y = Attention(a, b, c, , , , g)", inputs, {24}), {1, 4, 3, 2},
               naive_attention(kQuery, kKey, kValue, [](int64_t) { return 3; }), 1e-6, 1e-9);
  expect_close(run_one("y = Attention<is_causal = 1>(a, b, c, , , , g)", inputs, {24}), {1, 4, 3, 2},
               naive_attention(kQuery, kKey, kValue, [](int64_t i) { return i + 1; }), 1e-6, 1e-9);
}

TEST(Attention, ShowsItsScores) {
  const Tensor one = Tensor::from<float>({1, 1, 1, 1}, {2}), two = Tensor::from<float>({1, 1, 2, 1}, {1, 3});
  const auto shown = [&](const std::string& attributes) {
    return values(run_node("y, y1, y2, y3 = Attention<scale = 1.0, softcap = 4.0, " + attributes + ">(a, b, c)",
                           {one, two, two}, {.opset = 24, .outputs = 4})[3]);
  };
  EXPECT_THAT(shown("qk_matmul_output_mode = 0"), ElementsAre(2, 6));
  const double low = 4 * std::tanh(0.5), high = 4 * std::tanh(1.5), share = 1 / (1 + std::exp(high - low));
  EXPECT_THAT(shown("qk_matmul_output_mode = 1"), ElementsAre(testing::FloatNear(static_cast<float>(low), 1e-6F),
                                                              testing::FloatNear(static_cast<float>(high), 1e-6F)));
  EXPECT_NEAR(static_cast<double>(shown("qk_matmul_output_mode = 3")[0]), share, 1e-7);
  EXPECT_THROW(shown("qk_matmul_output_mode = 4"), Error);
}

TEST(RotaryEmbedding, TurnsHalvesOrNeighbours) {
  const Tensor x = Tensor::from<float>({1, 1, 1, 6}, {1, 2, 3, 4, 5, 6});
  const Tensor cosines = Tensor::from<float>({2, 2}, {1, 1, 0, 0}), sines = Tensor::from<float>({2, 2}, {0, 0, 1, 1});
  const Tensor second = Tensor::from<int64_t>({1, 1}, {1});  // a quarter turn: (a, b) -> (-b, a)
  EXPECT_THAT(
      values(run_one("y = RotaryEmbedding<rotary_embedding_dim = 4>(a, b, c, d)", {x, cosines, sines, second}, {23})),
      ElementsAre(-3, -4, 1, 2, 5, 6));
  EXPECT_THAT(values(run_one("y = RotaryEmbedding<rotary_embedding_dim = 4, interleaved = 1>(a, b, c, d)",
                             {x, cosines, sines, second}, {23})),
              ElementsAre(-2, 1, -4, 3, 5, 6));
  EXPECT_THROW(run_one("y = RotaryEmbedding<rotary_embedding_dim = 4>(a, b, c, d)",
                       {x, cosines, sines, Tensor::from<int64_t>({1, 1}, {2})}, {23}),
               Error);
}

TEST(AffineGrid, PutsTheEndsOnCornersOrInsideThem) {
  const Tensor unit = Tensor::from<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0.5F});
  const Tensor size = test::int64s({1, 1, 2, 2});
  EXPECT_THAT(values(run_one("y = AffineGrid(a, b)", {unit, size}, {20})),
              ElementsAre(-0.5F, 0, 0.5F, 0, -0.5F, 1, 0.5F, 1));
  EXPECT_THAT(values(run_one("y = AffineGrid<align_corners = 1>(a, b)", {unit, size}, {20})),
              ElementsAre(-1, -0.5F, 1, -0.5F, -1, 1.5F, 1, 1.5F));
  EXPECT_THROW(run_one("y = AffineGrid(a, b)", {unit, test::int64s({1, 1, 2, 2, 2})}, {20}), Error);
}

TEST(Attention, LooksThroughAWindowAroundItsPosition) {
  // All values of key j are j: the output is the mean of the visible keys, all equally like the query 0.
  Tensor query(DataType::Float32, {1, 1, 4, 2}), key = test::ramp({1, 1, 6, 2}), value(DataType::Float32, {1, 1, 6, 1});
  std::ranges::fill(query.mutable_data<float>(), 0.0F);
  for (size_t j = 0; j < 6; ++j) value.mutable_data<float>()[j] = static_cast<float>(j);
  const auto means = [&](const std::string& attributes, const Tensor& valid = {}) {
    const std::string call = valid.empty_handle() ? "(a, b, c)" : "(a, b, c, , , , g)";
    return values(run_one("y = Attention<" + attributes + ">" + call, {query, key, value, {}, {}, {}, valid}, {25}));
  };
  // {0, 1}, {0, 1, 2}, {0..3}, {1..4}
  EXPECT_THAT(means("left_window_size = 2, right_window_size = 1"), ElementsAre(0.5F, 1, 1.5F, 2.5F));
  EXPECT_THAT(means("left_window_size = 1, is_causal = 1"), ElementsAre(0, 0.5F, 1.5F, 2.5F));
  EXPECT_THAT(means("right_window_size = 0"), ElementsAre(0, 0.5F, 1, 1.5F));
  // 5 of 6 keys are valid: the queries are keys 1 to 4
  EXPECT_THAT(means("left_window_size = 1, right_window_size = 1", test::int64s({5})), ElementsAre(1, 2, 3, 3.5F));
}

TEST(Attention, OfAQueryThatMaySeeNothingIsZero) {
  const Tensor mask = Tensor::from<bool>({3, 5}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1});
  const auto y = run_node("y, y1, y2, y3 = Attention<qk_matmul_output_mode = 3>(a, b, c, d)",
                          {kQuery, kKey, kValue, mask}, {.opset = 24, .outputs = 4});
  for (size_t head = 0; head < 4; ++head) {
    EXPECT_EQ(values(y[0])[head * 6 + 2], 0);
    EXPECT_EQ(values(y[0])[head * 6 + 3], 0);
    EXPECT_EQ(values(y[3])[head * 15 + 0], 1);
    for (size_t k = 5; k < 10; ++k) EXPECT_EQ(values(y[3])[head * 15 + k], 0);
  }
}

TEST(Attention, BroadcastsAMaskOfOneColumnAndAddsIntegers) {
  const auto open = naive_attention(kQuery, kKey, kValue, [](int64_t) { return 4; });
  const Tensor column = Tensor::from<bool>({3, 1}, {1, 1, 1});
  expect_close(run_one("y = Attention(a, b, c, d)", {kQuery, kKey, kValue, column}, {24}), {1, 4, 3, 2}, open, 1e-6,
               1e-9);
  const Tensor number = Tensor::from<int32_t>({1, 5}, {2, 2, 2, 2, 2});  // the same for all keys changes nothing
  expect_close(run_one("y = Attention(a, b, c, d)", {kQuery, kKey, kValue, number}, {24}), {1, 4, 3, 2}, open, 1e-6,
               1e-9);
}

}  // namespace
}  // namespace detent
