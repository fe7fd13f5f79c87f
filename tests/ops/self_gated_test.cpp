#include "ops/self_gated.h"

#include <gtest/gtest.h>

#include "exec/executor.h"
#include "model/model.h"

namespace detent {
namespace {

using Gate = SelfGatedActivation::Gate;

/// Returns the pattern that ends in the last node of `body`, which reads x and writes y.
std::optional<SelfGatedActivation> found_in(const std::string& body) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 14]> g (float[4] x, float[4] z) => (float[4] y) { " + body + " }");
  auto found = self_gated_activation(model.graph(), model.graph().nodes().back());
  EXPECT_TRUE(!found || found->input == *model.graph().find_value("x"));
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
    EXPECT_EQ(found->gate, NodeId{0});
    EXPECT_EQ(found->product, NodeId{1});
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

const std::string kNumbers =
    "three = Constant <value = float {3.0}> () six = Constant <value = float {6.0}> () one = Constant <value = float "
    "{1.0}> () "
    "half = Constant <value = float {0.5}> () sixth = Constant <value = float {0.16666667}> () "
    "zero = Constant <value = float {0.0}> () ";

/// Returns the factor by which the body's product is a multiple of HardSwish; 0 where it is none.
float hard_swish_of(const std::string& body) {
  const auto found = found_in(kNumbers + body);
  return found ? found->hard_swish : 0;
}

/// Every piece of HardSwish and both of its corners.
const Tensor kPoints = Tensor::from<float>(Shape{9}, {-8, -3, -2.5F, -1, 0, 1, 2.5F, 3, 8});

std::vector<float> run(const std::string& body) {
  const Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 14]> g (float[9] x) => (float[9] y) { " +
                                       kNumbers + body + " }");
  const std::vector<ValueId> wanted{*model.graph().find_value("y")};
  const Tensor y = run_once(model.graph(), std::vector<Tensor>{kPoints}, wanted).front();
  return {y.data<float>().begin(), y.data<float>().end()};
}

struct Written {
  const char* name;
  const char* body;
  float factor;
};

class HardSwishAsItsFormula : public testing::TestWithParam<Written> {};

constexpr Written kOrders[] = {
    {"AddClipDivMul", "a = Add (x, three) c = Clip (a, zero, six) d = Div (c, six) y = Mul (x, d)", 1},
    {"AddClipMulBySixthMul", "a = Add (x, three) c = Clip (a, zero, six) d = Mul (c, sixth) y = Mul (d, x)", 1},
    {"AddClipMulWithoutItsDivision", "a = Add (three, x) c = Clip (a, zero, six) y = Mul (x, c)", 6},
    {"AddDivClipMul", "a = Add (x, three) d = Div (a, six) c = Clip (d, zero, one) y = Mul (x, c)", 1},
    {"DivAddClipMul", "d = Div (x, six) a = Add (d, half) c = Clip (a, zero, one) y = Mul (x, c)", 1},
    {"SixthOfX", "s = Div (x, six) a = Add (x, three) c = Clip (a, zero, six) y = Mul (s, c)", 1},
    {"SixthOfXByMul", "s = Mul (sixth, x) a = Add (x, three) c = Clip (a, zero, six) y = Mul (c, s)", 1},
    {"MaxAndMin", "a = Add (x, three) m = Max (a, zero) n = Min (m, six) d = Div (n, six) y = Mul (x, d)", 1},
    {"MinAndMax", "a = Add (x, three) m = Min (six, a) n = Max (zero, m) d = Div (n, six) y = Mul (x, d)", 1},
    {"ReluAndMin", "a = Add (x, three) m = Relu (a) n = Min (m, six) d = Mul (n, sixth) y = Mul (x, d)", 1},
    {"SubOfAConstant",
     "minus = Constant <value = float {-3.0}> () a = Sub (x, minus) c = Clip (a, zero, six) d = Div (c, six) "
     "y = Mul (x, d)",
     1},
    {"HardSigmoid", "g = HardSigmoid <alpha = 0.16666667, beta = 0.5> (x) y = Mul (x, g)", 1},
};

TEST_P(HardSwishAsItsFormula, IsFound) { EXPECT_NEAR(hard_swish_of(GetParam().body), GetParam().factor, 1e-5F); }

TEST_P(HardSwishAsItsFormula, ComputesThatMultipleOfHardSwish) {
  std::string body = GetParam().body;
  const std::vector<float> written = run(body), swish = run("y = HardSwish (x)");
  // A step rounds by 2^-24 of numbers up to 11 times 8; 1/6 has as much.
  for (size_t i = 0; i < swish.size(); ++i)
    EXPECT_NEAR(written[i], GetParam().factor * swish[i], 5e-5F) << body << ", element " << i;
}

INSTANTIATE_TEST_SUITE_P(Orders, HardSwishAsItsFormula, testing::ValuesIn(kOrders),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(SelfGated, OtherNumbersAreNotHardSwish) {
  for (const char* body : {
           "a = Add (x, six) c = Clip (a, zero, six) d = Div (c, six) y = Mul (x, d)",
           "a = Add (x, three) c = Clip (a, zero, three) d = Div (c, six) y = Mul (x, d)",
           "a = Add (x, three) c = Clip (a, one, six) d = Div (c, six) y = Mul (x, d)",
           "a = Add (x, three) d = Div (a, six) c = Clip (d, zero, six) y = Mul (x, c)",
           "a = Sub (x, three) c = Clip (a, zero, six) d = Div (c, six) y = Mul (x, d)",
           "a = Sub (three, x) c = Clip (a, zero, six) d = Div (c, six) y = Mul (x, d)",
           "a = Add (x, three) m = Relu (a) d = Div (m, six) y = Mul (x, d)",
           "a = Add (x, three) m = Min (a, six) d = Div (m, six) y = Mul (x, d)",
           "g = HardSigmoid <alpha = 0.2, beta = 0.5> (x) y = Mul (x, g)",
       })
    EXPECT_EQ(hard_swish_of(body), 0) << body;
}

TEST(SelfGated, TheFormulaOfAnotherValueIsNone) {
  EXPECT_FALSE(found_in(kNumbers + "a = Add (z, three) c = Clip (a, zero, six) d = Div (c, six) y = Mul (x, d)"));
  EXPECT_FALSE(found_in(kNumbers + "a = Add (x, three) m = Relu (a) n = Min (m, six) d = Div (n, six) y = Mul (z, d)"));
  EXPECT_FALSE(found_in(kNumbers + "s = Div (z, six) a = Add (x, three) c = Clip (a, zero, six) y = Mul (s, c)"));
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
