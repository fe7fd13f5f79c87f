#include "model/name_source.h"

#include <gtest/gtest.h>

#include "model/model.h"
#include "tests/model/onnx_protos.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

Model named_chain() {
  return parse_model_text(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y)
{
  a = Neg (x)
  y = Relu (a)
})");
}

TEST(NameSource, AddsANumberOnlyWhereTheNameIsTaken) {
  const Model model = named_chain();
  NameSource names(model.graph());
  EXPECT_EQ(names.fresh("fresh"), "fresh");
  EXPECT_EQ(names.fresh("a"), "a_1");
  EXPECT_EQ(names.fresh("Relu_1"), "Relu_1_1") << "a node is called so";
}

TEST(NameSource, GivesNoNameTwice) {
  const Model model = named_chain();
  NameSource names(model.graph());
  EXPECT_EQ(names.fresh("scale"), "scale");
  EXPECT_EQ(names.fresh("scale"), "scale_1");
  EXPECT_EQ(names.fresh("scale"), "scale_2");
  EXPECT_EQ(names.fresh("scale_1"), "scale_1_1");
}

TEST(NameSource, GivesNoNameOfAGraphInside) {
  const Model model = parse_model_text(R"(
<ir_version: 8, opset_import: ["" : 17]>
g (float[4] x, bool c) => (float[4] y)
{
  r = Relu (x)
  y = If (c) <
    then_branch = t () => (p) { r_scale = Neg (r) p = Abs (r_scale) },
    else_branch = e () => (q) { k = Constant <value_float = 1.0> () q = Add (r, k) }>
})");
  NameSource names(model.graph());
  EXPECT_EQ(names.fresh("r_scale"), "r_scale_1");
  EXPECT_EQ(names.fresh("k"), "k_1");
  EXPECT_EQ(names.fresh("Abs_1"), "Abs_1_1") << "a node is called so";
  EXPECT_EQ(names.fresh("r_zero_point"), "r_zero_point");
}

}  // namespace
}  // namespace detent
