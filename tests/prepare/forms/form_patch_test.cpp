// Names and constants of a form: none is given twice.
#include "prepare/forms/form_patch.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

TEST(FormPatch, NamesNothingTwice) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[2] y) <float[1] y_part = {1}> { y = Add (x, "
      "y_part) }");
  const Node& node = model.graph().nodes().front();
  forms::FormPatch patch(model.graph(), "name parts");
  const std::string first = patch.constant(node, "part", Tensor::from<float>({1}, std::vector<float>{2}));
  EXPECT_NE(first, patch.fresh(node, "part"));
  EXPECT_EQ(patch.name_of(node.input(0)), "x");
  const GraphPatch taken = patch.take();
  EXPECT_EQ(taken.reason, "name parts");
  ASSERT_EQ(taken.add_initializers.size(), 1U);
  EXPECT_EQ(taken.add_initializers[0].first, first);
}

}  // namespace
}  // namespace detent
