#include "place/draft/quantizable_values.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/model.h"

namespace detent {
namespace {

std::vector<std::string> names(const Model& model) {
  std::vector<std::string> found;
  for (const ValueId value : quantizable_values(model.graph())) found.push_back(model.graph().value(value).name);
  std::ranges::sort(found);
  return found;
}

TEST(QuantizableValues, AreWhatFloatOperatorsReadAndWrite) {
  EXPECT_EQ(names(parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y)
<float[2,2,1,1] w = {1, 2, 3, 4}, float[1] one = {1}>
{ c = Conv (x, w)  r = Sigmoid (c)  y = Add (r, one) })")),
            (std::vector<std::string>{"c", "r", "x", "y"}));
}

TEST(QuantizableValues, AreNeitherShapesNorIndicesNorConstants) {
  EXPECT_EQ(names(parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[1,8] x, int64[2] at) => (float[2,4] y, int64[2] n)
<int64[2] shape = {2, 4}, int64[1] two = {2}>
{ t = Reshape (x, shape)  y = Gather (t, at)  n = Mul (at, two) })")),
            (std::vector<std::string>{"t", "x", "y"}));
}

}  // namespace
}  // namespace detent
