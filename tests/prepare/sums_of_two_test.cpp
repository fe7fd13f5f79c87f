#include "prepare/sums_of_two.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

constexpr const char* kSums = R"(
<ir_version: 8, opset_import: ["" : 13]>
g (float[1,2] a, float[2] b) => (float[1,2] y)
{
  s = Sum (a, b)
  t = Sum (s, a, b)
  u = Sum (t)
  y = Relu (u)
})";

TEST(SumsOfTwo, BecomeAnAddUnderTheSameName) {
  Model model = parse_model_text(kSums);
  const std::string name = model.graph().producer(model.graph().find_value("s"))->name;
  EXPECT_EQ(make_adds_of_sums(model), 1U);
  const Node* add = model.graph().producer(model.graph().find_value("s"));
  EXPECT_EQ(add->op_type, "Add");
  EXPECT_EQ(add->name, name);
  EXPECT_EQ(add->inputs.size(), 2U);
}

TEST(SumsOfTwo, SumsOfOneAndThreeStay) {
  Model model = parse_model_text(kSums);
  (void)make_adds_of_sums(model);
  for (const char* value : {"t", "u"})
    EXPECT_EQ(model.graph().producer(model.graph().find_value(value))->op_type, "Sum");
}

}  // namespace
}  // namespace detent
