#include "pipeline/equalizable_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/float_network.h"
#include "pipeline/plan_report.h"

namespace detent {
namespace {

using testing::UnorderedElementsAre;

std::vector<PlanReport::Equalizable> equalizable(const Model& model, const Shape& input) {
  const std::vector<Tensor> inputs{test::Numbers(3).tensor(input)};
  return equalizable_values(model.graph(), find_shapes(model.graph(), inputs));
}

TEST(EqualizableValues, AreListedByFamily) {
  const auto families = equalizable(test::residual_network(1), {1, 16, 8, 8});
  // A Relu is run by the kernel of its convolution: only what it writes is stored. sum and c are one with a, the skip.
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

}  // namespace
}  // namespace detent
