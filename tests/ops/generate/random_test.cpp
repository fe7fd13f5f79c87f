#include <cstring>
#include <numeric>

#include "ops/find_operator.h"
#include "ops/node_runner.h"

namespace detent {
namespace {

using test::integers;
using test::run_one;
using test::values;

constexpr int64_t kMany = 10000;

struct Moments {
  double mean, deviation, low, high;
};

Moments moments_of(const Tensor& tensor) {
  const std::vector<float> x = values(cast(tensor, DataType::Float32));
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double squares = 0;
  for (const float v : x) squares += (v - mean) * (v - mean);
  const auto [low, high] = std::ranges::minmax(x);
  return {mean, std::sqrt(squares / static_cast<double>(x.size())), low, high};
}

// Bounds are five standard errors: deviation / sqrt(kMany) for a mean, about deviation / sqrt(2 kMany) for a deviation.
TEST(Random, NormalHasItsMeanAndDeviation) {
  const Moments m = moments_of(run_one("y = RandomNormal<shape = [100, 100], mean = 3.0, scale = 2.0>()", {}));
  EXPECT_NEAR(m.mean, 3, 5 * 2 / 100.0);
  EXPECT_NEAR(m.deviation, 2, 5 * 2 / 141.0);
}

TEST(Random, UniformFillsItsRange) {
  const Moments m = moments_of(run_one("y = RandomUniform<shape = [10000], low = -1.0, high = 3.0>()", {}));
  EXPECT_NEAR(m.mean, 1, 5 * 4 / std::sqrt(12.0) / 100);
  EXPECT_GE(m.low, -1);
  EXPECT_LE(m.high, 3);
  EXPECT_LT(m.low, -0.99);  // 0.9975^10000 < 1e-10
  EXPECT_GT(m.high, 2.99);
}

TEST(Random, IsTheSameInEveryRunAndAnotherWithAnotherSeed) {
  const auto draw = [](const std::string& attributes) {
    return values(run_one("y = RandomNormal<shape = [8]" + attributes + ">()", {}));
  };
  EXPECT_EQ(draw(""), draw(""));
  EXPECT_EQ(draw(", seed = 1.0"), draw(", seed = 1.0"));
  EXPECT_NE(draw(", seed = 1.0"), draw(", seed = 2.0"));
  EXPECT_NE(draw(""), draw(", seed = 0.0"));
}

TEST(Random, DiffersFromNodeToNodeWithoutASeed) {
  const auto draw = [](const std::string& name, const std::string& attributes) {
    const Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g () => (float " + name + ") { " +
                                         name + " = RandomUniform<shape = [4]" + attributes + ">() }");
    const KernelContext context{model.graph(), model.graph().node(NodeId{0}), 13};
    std::vector<Tensor> outputs(1);
    Workspace workspace;
    KernelCall call({}, outputs, {}, Allocator::heap(), workspace);
    find_operator("", "RandomUniform", 13)->make(context)->run(call);
    return values(outputs[0]);
  };
  EXPECT_NE(draw("first", ""), draw("second", ""));
  EXPECT_EQ(draw("first", ", seed = 3.0"), draw("second", ", seed = 3.0"));
}

TEST(Random, LikeTakesTheShapeAndUnlessToldTheType) {
  const Tensor input = cast(test::ramp({2, 3}), DataType::Float64);
  const Tensor same = run_one("y = RandomNormalLike(a)", {input}),
               half = run_one("y = RandomUniformLike<dtype = 10>(a)", {input});
  EXPECT_EQ(same.type(), DataType::Float64);
  EXPECT_EQ(same.shape(), (Shape{2, 3}));
  EXPECT_EQ(half.type(), DataType::Float16);
  EXPECT_EQ(run_one("y = RandomUniformLike<dtype = 1>(a)", {cast(input, DataType::BFloat16)}, {22}).type(),
            DataType::Float32);
  EXPECT_EQ(run_one("y = RandomUniformLike<dtype = 1>(a)", {Tensor(DataType::Int32, {0, 4})}).shape(), (Shape{0, 4}));
  EXPECT_THROW(run_one("y = RandomNormal()", {}), Error);
}

TEST(Bernoulli, IsOneAsOftenAsToldTo) {
  Tensor chances(DataType::Float32, {kMany});
  std::ranges::fill(chances.mutable_data<float>(), 0.3F);
  const Moments m = moments_of(run_one("y = Bernoulli(a)", {chances}, {15}));
  EXPECT_NEAR(m.mean, 0.3, 5 * std::sqrt(0.3 * 0.7) / 100);
  const Tensor sure = Tensor::from<float>({4}, {0, 1, 0, 1});
  const Tensor bits = run_one("y = Bernoulli<dtype = 9>(a)", {sure}, {15});
  EXPECT_EQ(bits.type(), DataType::Bool);
  EXPECT_THAT(integers(bits), testing::ElementsAre(0, 1, 0, 1));
}

TEST(Multinomial, DrawsByProbabilityAndNeverTheImpossible) {
  const float never = -INFINITY;
  const Tensor logs =
      Tensor::from<float>({2, 4}, {std::log(1.0F), never, std::log(3.0F), never, 0, never, never, never});
  const Tensor drawn = run_one("y = Multinomial<sample_size = 10000, dtype = 7>(a)", {logs});
  ASSERT_EQ(drawn.shape(), (Shape{2, kMany}));
  std::array<int64_t, 4> counts{};
  for (const int64_t x : drawn.slice0(0, 1).data<int64_t>()) ++counts[static_cast<size_t>(x)];
  EXPECT_EQ(counts[1] + counts[3], 0);
  EXPECT_NEAR(static_cast<double>(counts[2]) / kMany, 0.75, 5 * std::sqrt(0.75 * 0.25) / 100);
  for (const int64_t x : drawn.slice0(1, 2).data<int64_t>()) ASSERT_EQ(x, 0);
  EXPECT_EQ(run_one("y = Multinomial(a)", {logs}).type(), DataType::Int32);
  EXPECT_THROW(run_one("y = Multinomial(a)", {Tensor::from<float>({1, 2}, {never, never})}), Error);
}

}  // namespace
}  // namespace detent
