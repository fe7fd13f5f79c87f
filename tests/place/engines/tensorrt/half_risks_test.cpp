// Nodes that stay FP32 because TensorRT before 11 does not build them beside 16-bit floats.
#include <gtest/gtest.h>

#include "model/half_constants.h"
#include "place/engines/tensorrt/half_risks.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"

namespace detent::test {
namespace {

std::vector<std::string> risks_of(const std::string& nodes) {
  const Model model = parse_half_model(fill_tensors(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n g (float[N,32,8,8] x) => (float[N,32,8,8] y)\n"
      "<float[32,32,3,3] w = {...}, float[32,32,2,2] t = {...}, float[32,12,2,2] o = {...}, float two = {2}>\n{\n" +
      nodes + "}\n"));
  const PlacementPlan plan = make_placement_plan(model.graph(), find_target("tensorrt"), {}, {}, {});
  return tensorrt::half_risks(plan, model.graph());
}

TEST(HalfRisks, AreActivationsWithConstants) {
  EXPECT_EQ(risks_of("c = Conv <pads = [1,1,1,1]> (x, w)\n l = LeakyRelu (c)\n y = Conv <pads = [1,1,1,1]> (l, w)\n"),
            (std::vector<std::string>{"Conv_0", "LeakyRelu_1"}));
  EXPECT_EQ(risks_of("c = Conv <pads = [1,1,1,1]> (x, w)\n d = Div (c, two)\n e = Erf (d)\n f = Add (e, two)\n"
                     "g = Mul (c, f)\n y = Conv <pads = [1,1,1,1]> (g, w)\n")
                .size(),
            5U);  // the Conv and all of GELU
}

TEST(HalfRisks, EndWhereAnotherValueComesIn) {
  EXPECT_EQ(risks_of("c = Conv <pads = [1,1,1,1]> (x, w)\n s = Sigmoid (c)\n m = Mul (x, s)\n"
                     "y = Conv <pads = [1,1,1,1]> (m, w)\n"),
            (std::vector<std::string>{"Conv_0", "Sigmoid_1"}));
}

TEST(HalfRisks, AreConvTransposesOfOddChannels) {
  EXPECT_EQ(risks_of("y = ConvTranspose <strides = [2,2]> (x, o)\n").size(), 1U);
  EXPECT_TRUE(risks_of("y = ConvTranspose <strides = [2,2]> (x, t)\n").empty());
}

TEST(HalfRisks, AreNotReluAndSiLU) {
  EXPECT_TRUE(
      risks_of("c = Conv <pads = [1,1,1,1]> (x, w)\n r = Relu (c)\n y = Conv <pads = [1,1,1,1]> (r, w)\n").empty());
  EXPECT_TRUE(risks_of("c = Conv <pads = [1,1,1,1]> (x, w)\n s = Sigmoid (c)\n m = Mul (c, s)\n"
                       "y = Conv <pads = [1,1,1,1]> (m, w)\n")
                  .empty());
}

}  // namespace
}  // namespace detent::test
