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

}  // namespace
}  // namespace detent
