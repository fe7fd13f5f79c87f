#include "prepare/replace_cast_like.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

TEST(ReplaceCastLike, TakesTheTypeThatTheSecondInputHas) {
  Model model = parse_model_text(R"(
<ir_version: 8, opset_import: ["" : 19]>
g (float[2] x, float16[2] h) => (float16[2] y)
{
  a = Neg (h)
  y = CastLike <saturate = 0> (x, a)
})");
  EXPECT_EQ(replace_cast_likes(model), 1U);
  const Node& cast = *model.graph().producer(model.graph().find_value("y"));
  EXPECT_EQ(cast.op_type, "Cast");
  EXPECT_EQ(cast.inputs.size(), 1U);
  EXPECT_EQ(cast.int_or("to", 0), 10);
  EXPECT_EQ(cast.int_or("saturate", 1), 0);
}

TEST(ReplaceCastLike, LeavesWhatHasNoKnownTypeAndOtherOperators) {
  Model model = parse_model_text(R"(
<ir_version: 8, opset_import: ["" : 19, "other" : 1]>
g (float[2] x) => (y, z)
{
  u = other.Op (x)
  y = CastLike (x, u)
  z = other.CastLike (x, x)
})");
  EXPECT_EQ(replace_cast_likes(model), 0U);
  EXPECT_EQ(model.graph().producer(model.graph().find_value("y"))->op_type, "CastLike");
}

}  // namespace
}  // namespace detent
