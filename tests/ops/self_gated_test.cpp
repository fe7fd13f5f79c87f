#include "ops/self_gated.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

using Gate = SelfGatedActivation::Gate;

/// The pattern that ends in the last node of `body`, which reads x and writes y.
std::optional<SelfGatedActivation> found_in(const std::string& body) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 14]> g (float[4] x, float[4] z) => (float[4] y) { " + body + " }");
  auto found = self_gated_activation(model.graph(), model.graph().nodes().back());
  EXPECT_TRUE(!found || found->input == model.graph().find_value("x"));
  return found;
}

const std::string kFormula =
    "three = Constant <value = float {3.0}> () six = Constant <value = float {6.0}> () "
    "zero = Constant <value = float {0.0}> () a = Add (x, three) c = Clip (a, zero, six) ";

TEST(SelfGated, XTimesItsSigmoidIsSilu) {
  for (const char* product : {"y = Mul (x, s)", "y = Mul (s, x)"}) {
    const auto found = found_in(std::string("s = Sigmoid (x) ") + product);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->form, Gate::Sigmoid);
    EXPECT_EQ(found->kind, OpKind::Silu);
    EXPECT_EQ(found->gate, 0);
    EXPECT_EQ(found->product, 1);
  }
}

TEST(SelfGated, XTimesItsHardSigmoidIsHardSwishWithTheUsualParametersOnly) {
  const auto kind = [](const std::string& parameters) {
    const auto found = found_in("s = HardSigmoid <" + parameters + "> (x) y = Mul (x, s)");
    EXPECT_TRUE(found && found->form == Gate::HardSigmoid) << parameters;
    return found ? found->kind : OpKind::Other;
  };
  EXPECT_EQ(kind("alpha = 0.1666667, beta = 0.5"), OpKind::HardSwish);
  EXPECT_EQ(kind("alpha = 0.16666, beta = 0.5"), OpKind::OtherActivation);
  EXPECT_EQ(kind("alpha = 0.1666667, beta = 0.51"), OpKind::OtherActivation);
  EXPECT_EQ(kind("alpha = 0.2, beta = 0.5"), OpKind::OtherActivation);
}

TEST(SelfGated, TheFormulaOfHardSwishMayDivideOnEitherSideOfTheProduct) {
  for (const std::string rest : {"y = Mul (x, c)", "d = Div (c, six) y = Mul (x, d)"}) {
    const auto found = found_in(kFormula + rest);
    ASSERT_TRUE(found) << rest;
    EXPECT_EQ(found->form, Gate::Clip);
    EXPECT_EQ(found->kind, OpKind::OtherActivation);
  }
}

TEST(SelfGated, AGateOfAnotherValueIsNone) {
  EXPECT_FALSE(found_in("s = Sigmoid (z) y = Mul (x, s)"));
  EXPECT_FALSE(found_in("s = Sigmoid (x) y = Add (x, s)"));
  EXPECT_FALSE(found_in("s = Tanh (x) y = Mul (x, s)"));
  EXPECT_FALSE(found_in("y = Mul (x, x)"));
}

TEST(SelfGated, AFormulaWithoutItsClipOrWithAnotherReaderInsideIsNone) {
  EXPECT_FALSE(found_in("three = Constant <value = float {3.0}> () a = Add (x, three) y = Mul (x, a)"));
  EXPECT_FALSE(found_in(kFormula + "r = Relu (a) y = Mul (x, c)"));
  EXPECT_FALSE(found_in("six = Constant <value = float {6.0}> () d = Div (six, x) c = Clip (d) y = Mul (x, c)"));
}

}  // namespace
}  // namespace detent
