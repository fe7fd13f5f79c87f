#include "ops/mask_values.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

bool is_mask(const Model& model, const char* name) {
  return mask_values(model.graph())[*model.graph().find_value(name)];
}

TEST(MaskValues, AreComputedFromIntegersBooleansAndMasks) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (int64[1,4] ids, bool[1,4] b, float[1,4] padding_mask, float[1,4] x) => (float[1,4] y)
    <float one = {1}, float low = {-10000}, float[9] table = {1,2,3,4,5,6,7,8,9}>
    {
      f = Cast <to = 1> (ids)
      i = Sub (one, f)
      m = Mul (i, low)
      w = Where (b, one, low)
      p = Mul (padding_mask, low)
      t = Gather (table, ids)
      s = Add (x, m)
      y = Add (s, t)
    })");
  for (const char* name : {"f", "i", "m", "w", "p", "padding_mask"}) EXPECT_TRUE(is_mask(model, name)) << name;
  for (const char* name : {"x", "s", "y", "t", "low"}) EXPECT_FALSE(is_mask(model, name)) << name;
}

}  // namespace
}  // namespace detent
