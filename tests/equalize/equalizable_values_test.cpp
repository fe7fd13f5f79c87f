#include "equalize/equalizable_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/detent.h"
#include "evaluate/float_network.h"
#include "exec/find_shapes.h"
#include "model/graph/value_shapes.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using testing::UnorderedElementsAre;

std::vector<PlanReport::Equalizable> equalizable(const Model& model, const Shape& input) {
  const std::vector<Tensor> inputs{test::Numbers(3).tensor(input)};
  return equalizable_values(model.graph(), find_shapes(model.graph(), inputs));
}

TEST(EqualizableValues, AreListedByFamily) {
  const auto families = equalizable(test::residual_network(1), {1, 16, 8, 8});
  // The kernel of the convolution runs the Relu: only its output is stored. sum and c are tied to a, the skip.
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].family, "relu");
  EXPECT_THAT(families[0].values, UnorderedElementsAre("a", "b", "r", "c", "e"));
  EXPECT_EQ(families[1].family, "norm");
  EXPECT_THAT(families[1].values, UnorderedElementsAre("d"));
}

TEST(EqualizableValues, AreNoneWhereNothingCommutesWithFactors) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1, 2, 4, 4] x) => (float[1, 2, 4, 4] y)
<float[2, 2, 1, 1] w = {1, 2, 3, 4}>
{
  a = Conv (x, w)
  b = Sigmoid (a)
  y = Conv (b, w)
})");
  EXPECT_TRUE(equalizable(model, {1, 2, 4, 4}).empty());
}

TEST(EqualizableValues, AreThoseOfEverySizeThatIsTried) {
  // g is a gate of a * g when a is larger than g; a single pixel makes it an ordinary product, which ties nothing.
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1, 2, H, W] x) => (float[1, 2, H, W] y)
<float[2, 2, 1, 1] w = {1, 2, 3, 4}>
{
  a = Conv (x, w)
  p = GlobalAveragePool (a)
  c = Conv (p, w)
  g = Sigmoid (c)
  m = Mul (a, g)
  d = Conv (m, w)
  r = Relu (d)
  y = Conv (r, w)
})");
  const auto shapes_at = [&](int64_t size) {
    const std::vector<Tensor> inputs{test::Numbers(3).tensor({1, 2, size, size})};
    return find_shapes(model.graph(), inputs);
  };
  const std::vector<ValueShapes> large{shapes_at(4), shapes_at(8)}, small{shapes_at(4), shapes_at(1)};
  using Families = std::map<std::string, std::vector<std::string>>;
  const auto families = [](const std::vector<PlanReport::Equalizable>& lines) {
    Families found;
    for (const PlanReport::Equalizable& line : lines) found[line.family] = line.values;
    return found;
  };
  EXPECT_EQ(families(equalizable_values(model.graph(), large)),
            (Families{{"gate", {"m"}}, {"linear", {"a", "p"}}, {"relu", {"r"}}}));
  EXPECT_EQ(families(equalizable_values(model.graph(), small)), (Families{{"relu", {"r"}}}));
}

/// Returns the plan of a model, written to a file. Opset 18, because libonnx's checker requires shapes of inputs up to
/// 17.
PlanReport plan_of(const std::string& text, const std::map<std::string, std::vector<int64_t>>& shapes = {}) {
  const TemporaryFolder folder;
  write_model(parse_model_text("<ir_version: 8, opset_import: [\"\" : 18]>\n" + text), folder / "model.onnx");
  return plan_model({.model = folder / "model.onnx", .shapes = shapes});
}

const std::string kOpenNetwork = R"(g (float[N, 2, H, W] x) => (float[N, 2, H, W] y)
<float[2, 2, 1, 1] w = {1, 2, 3, 4}>
{
  a = Conv (x, w)
  r = Relu (a)
  y = Conv (r, w)
})";

TEST(EqualizableValues, AreTheSameWithOpenSizesAsWithGivenOnes) {
  const PlanReport open = plan_of(kOpenNetwork), given = plan_of(kOpenNetwork, {{"x", {1, 2, 8, 8}}});
  ASSERT_TRUE(open.equalizable && given.equalizable);
  ASSERT_EQ(open.equalizable->size(), 1U);
  EXPECT_EQ(open.equalizable->front().family, given.equalizable->at(0).family);
  EXPECT_EQ(open.equalizable->front().values, given.equalizable->at(0).values);
  EXPECT_EQ(open.coverage.macs, 0) << "they depend on sizes";
}

TEST(EqualizableValues, AreNotKnownWhereNoSizeCanBeTried) {
  std::string text = kOpenNetwork;
  text.replace(text.find("float[N, 2, H, W] x"), 19, "float[] x");
  const PlanReport open = plan_of(text), given = plan_of(text, {{"x", {1, 2, 8, 8}}});
  EXPECT_FALSE(open.equalizable);
  EXPECT_THAT(open.notes,
              testing::Contains("which values can be equalized is not known: the model declares no rank for 'x'; "
                                "--shape gives what is missing"));
  ASSERT_TRUE(given.equalizable);
  EXPECT_EQ(given.equalizable->size(), 1U);
  EXPECT_THAT(given.notes, testing::IsEmpty());
}

}  // namespace
}  // namespace detent
