#include "ops/node_runner.h"

namespace detent {
namespace {

using test::expect_close;
using test::ramp;
using test::run_node;
using test::values;
using testing::ElementsAre;

const test::NodeOptions kBothStates{.opset = 27, .outputs = 2};

constexpr int64_t kBatch = 2, kSteps = 3, kQueryHeads = 4, kKeyHeads = 2, kKeySize = 3, kValueSize = 5;

struct Given {
  Tensor query = ramp({kBatch, kSteps, kQueryHeads*kKeySize}), key = ramp({kBatch, kSteps, kKeyHeads*kKeySize}, -1, 1),
         value = ramp({kBatch, kSteps, kKeyHeads*kValueSize}), past = ramp({kBatch, kKeyHeads, kKeySize, kValueSize}),
         decay = ramp({kBatch, kSteps, kKeyHeads*kKeySize}, -2, 0), beta = ramp({kBatch, kSteps, kKeyHeads}, 0, 1);
};

double state_at(const Tensor& tensor, int64_t b, int64_t t, int64_t i) {
  return tensor.data<float>()[static_cast<size_t>((b * kSteps + t) * tensor.shape()[2] + i)];
}

/// Returns output and state of the recurrence as the specification defines it, on whole matrices.
std::array<std::vector<double>, 2> naive(const Given& g, bool gated, bool delta, double scale) {
  std::vector<double> output(kBatch * kSteps * kQueryHeads * kValueSize), state;
  for (const float x : values(g.past)) state.push_back(x);
  for (int64_t b = 0; b < kBatch; ++b)
    for (int64_t h = 0; h < kKeyHeads; ++h)
      for (int64_t t = 0; t < kSteps; ++t) {
        double* s = &state[static_cast<size_t>((b * kKeyHeads + h) * kKeySize * kValueSize)];
        std::vector<double> next(kKeySize * kValueSize);
        for (int64_t i = 0; i < kKeySize; ++i)
          for (int64_t j = 0; j < kValueSize; ++j) {
            const auto kept = [&](int64_t r) {
              return gated ? std::exp(state_at(g.decay, b, t, h * kKeySize + r)) : 1;
            };
            double recalled = 0;
            for (int64_t r = 0; delta && r < kKeySize; ++r)
              recalled += kept(r) * s[r * kValueSize + j] * state_at(g.key, b, t, h * kKeySize + r);
            const double change = state_at(g.value, b, t, h * kValueSize + j) - recalled;
            next[static_cast<size_t>(i * kValueSize + j)] =
                kept(i) * s[i * kValueSize + j] +
                (delta ? state_at(g.beta, b, t, h) : 1) * state_at(g.key, b, t, h * kKeySize + i) * change;
          }
        std::ranges::copy(next, s);
        for (int64_t q = 2 * h; q < 2 * h + 2; ++q)
          for (int64_t j = 0; j < kValueSize; ++j) {
            double total = 0;
            for (int64_t i = 0; i < kKeySize; ++i)
              total += state_at(g.query, b, t, q * kKeySize + i) * s[i * kValueSize + j];
            output[static_cast<size_t>(((b * kSteps + t) * kQueryHeads + q) * kValueSize + j)] = scale * total;
          }
      }
  return {output, state};
}

TEST(LinearAttention, EqualsTheRecurrenceOfEveryRule) {
  const Given g;
  for (const std::string rule : {"linear", "gated", "delta", "gated_delta"}) {
    SCOPED_TRACE(rule);
    const bool gated = rule.starts_with("gated"), delta = rule.ends_with("delta");
    const auto y = run_node(
        "y, y1 = LinearAttention<q_num_heads = 4, kv_num_heads = 2, update_rule = \"" + rule + "\">(a, b, c, d, e, f)",
        {g.query, g.key, g.value, g.past, g.decay, g.beta}, kBothStates);
    const auto expected = naive(g, gated, delta, 1 / std::sqrt(3.0));
    // a few dozen float roundings of numbers up to about 100
    expect_close(y[0], {kBatch, kSteps, kQueryHeads * kValueSize}, expected[0], 1e-5, 1e-4);
    expect_close(y[1], {kBatch, kKeyHeads, kKeySize, kValueSize}, expected[1], 1e-5, 1e-4);
  }
}

TEST(LinearAttention, WithOneDecayAHeadAndOneBetaForAll) {
  // One head, sizes 1: s1 = 2*3 = 6 -> 6; s2 = 6/2 + 0.5 * 1 * (4 - 3) = 3.5. Scale 2.
  const Tensor q = Tensor::from<float>({1, 2, 1}, {1, 10}), k = Tensor::from<float>({1, 2, 1}, {2, 1}),
               v = Tensor::from<float>({1, 2, 1}, {3, 4}), half = Tensor::from<float>({1, 2, 1}, {-7, -std::log(2.0F)}),
               beta = Tensor::from<float>({1, 2, 1}, {1, 0.5F});
  const auto y = run_node("y, y1 = LinearAttention<q_num_heads = 1, kv_num_heads = 1, scale = 2.0>(a, b, c, , e, f)",
                          {q, k, v, {}, half, beta}, kBothStates);
  EXPECT_FLOAT_EQ(values(y[0])[0], 12);
  EXPECT_FLOAT_EQ(values(y[0])[1], 70);
  EXPECT_FLOAT_EQ(values(y[1])[0], 3.5F);
}

TEST(LinearAttention, KeepsTheTypesOfQueryAndStateApart) {
  const auto half = [](const Tensor& tensor) { return cast(tensor, DataType::Float16); };
  const Tensor one = Tensor::from<float>({1, 1, 1}, {1});
  const auto y =
      run_node("y, y1 = LinearAttention<q_num_heads = 1, kv_num_heads = 1, update_rule = \"linear\">(a, b, c, d)",
               {half(one), half(one), half(one), Tensor::from<float>({1, 1, 1, 1}, {0.1F})}, kBothStates);
  EXPECT_EQ(y[0].type(), DataType::Float16);
  EXPECT_THAT(values(y[1]), ElementsAre(1.1F));
}

TEST(LinearAttention, RefusesWhatDoesNotFit) {
  const Given g;
  const auto run = [&](const std::string& attributes, const std::vector<Tensor>& inputs, const std::string& names) {
    return run_node("y, y1 = LinearAttention<" + attributes + ">(" + names + ")", inputs, kBothStates);
  };
  const std::vector<Tensor> plain{g.query, g.key, g.value};
  EXPECT_THROW(run("q_num_heads = 4, kv_num_heads = 2", plain, "a, b, c"), Error);  // no decay
  EXPECT_THROW(run("q_num_heads = 4, kv_num_heads = 3, update_rule = \"linear\"", plain, "a, b, c"), Error);
  EXPECT_THROW(run("q_num_heads = 4, kv_num_heads = 2, update_rule = \"other\"", plain, "a, b, c"), Error);
  EXPECT_THROW(run("q_num_heads = 4, kv_num_heads = 1, update_rule = \"linear\"", plain, "a, b, c"), Error);
}

}  // namespace
}  // namespace detent
