#include "model/constant_editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/onnx_protos.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

// `own` is read by p alone, `shared` by q and by y.
Model network() {
  return parse_model_text(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[2] x) => (float[2] y)
<float[2] own = {1, 2}, float[2] shared = {3, 4}>
{
  p = Add (x, own)
  q = Mul (p, shared)
  y = Add (q, shared)
})");
}

const Node& producer(const Model& model, const char* value) {
  return *model.graph().producer(*model.graph().find_value(value));
}

std::vector<float> constant_of(const Model& model, const char* value) {
  const Graph& graph = model.graph();
  const auto data = graph.constant(producer(model, value).input(1))->data<float>();
  return {data.begin(), data.end()};
}

TEST(ConstantEditor, ReplacesInPlaceWhatNobodyElseReads) {
  Model model = network();
  ConstantEditor editor(model.graph());
  editor.replace(producer(model, "p"), 1, Tensor::from<float>(Shape{2}, {5, 6}), "p_operand");
  const GraphPatch patch = editor.take("test");
  EXPECT_TRUE(patch.add_initializers.empty());
  apply_patch(model, patch);
  EXPECT_THAT(constant_of(model, "p"), ElementsAre(5, 6));
}

TEST(ConstantEditor, CopiesWhatAnotherNodeReads) {
  Model model = network();
  ConstantEditor editor(model.graph());
  editor.replace(producer(model, "q"), 1, Tensor::from<float>(Shape{2}, {5, 6}), "q_operand");
  apply_patch(model, editor.take("test"));
  EXPECT_THAT(constant_of(model, "q"), ElementsAre(5, 6));
  EXPECT_THAT(constant_of(model, "y"), ElementsAre(3, 4));
}

TEST(ConstantEditor, CopiesWhereTheShapeChanges) {
  Model model = network();
  ConstantEditor editor(model.graph());
  editor.replace(producer(model, "p"), 1, Tensor::from<float>(Shape{1}, {7}), "own");
  const GraphPatch patch = editor.take("test");
  ASSERT_EQ(patch.add_initializers.size(), 1U);
  EXPECT_EQ(patch.add_initializers.front().first, "own_1");
  apply_patch(model, patch);
  EXPECT_THAT(constant_of(model, "p"), ElementsAre(7));
}

TEST(ConstantEditor, TakesAnEmptyPatchWithoutAReasonWhereNothingChanged) {
  const Model model = network();
  ConstantEditor editor(model.graph());
  const GraphPatch patch = editor.take("test");
  EXPECT_TRUE(patch.empty());
  EXPECT_TRUE(patch.reason.empty());
}

}  // namespace
}  // namespace detent
