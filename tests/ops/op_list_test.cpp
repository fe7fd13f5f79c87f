#include <algorithm>

#include "ops/find_operator.h"
#include "ops/node_runner.h"
#include "ops/op_list.h"
#include "ops/traits.h"

namespace detent {
namespace {

TEST(OperatorList, HasOneDefinitionForAnOperatorAndOpset) {
  const auto list = operator_list();
  for (size_t i = 0; i < list.size(); ++i)
    for (size_t j = i + 1; j < list.size(); ++j) {
      if (list[i].op_type != list[j].op_type) continue;
      EXPECT_TRUE(list[i].last_opset < list[j].first_opset || list[j].last_opset < list[i].first_opset)
          << list[i].op_type;
    }
}

TEST(OperatorList, KnowsWhatMovesUnderAPair) {
  const auto commutes = [](std::string_view name) { return find_operator("", name, 13)->traits.commutes; };
  for (const std::string_view name : {"MaxPool", "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Slice",
                                      "Split", "Gather", "Concat", "Pad"})
    EXPECT_TRUE(commutes(name)) << name;
  for (const std::string_view name : {"Add", "Relu", "AveragePool", "Resize", "Softmax", "Conv", "ReduceMean"})
    EXPECT_FALSE(commutes(name)) << name;
}

TEST(OperatorList, FindsNothingOutsideItsOpsets) {
  EXPECT_NE(find_operator("", "Upsample", 9), nullptr);
  EXPECT_EQ(find_operator("", "Upsample", 10), nullptr);
  EXPECT_EQ(find_operator("com.example", "Relu", 13), nullptr);
  EXPECT_NE(find_operator("ai.onnx", "Relu", 13), nullptr);
}

TEST(OperatorList, NamesEveryNodeThatCannotRun) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13, \"com.example\" : 1]> g (float a) => (float y) "
      "{ b = Relu(a) c = com.example.Frobnicate(b) y = Cast<to = 8>(c) }");
  const NodeId nodes[] = {NodeId{0}, NodeId{1}, NodeId{2}};
  const auto found = find_unsupported(model.graph(), nodes);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].node, NodeId{1});
  EXPECT_EQ(found[1].node, NodeId{2});
  EXPECT_FALSE(found[1].reason.empty());
}

TEST(OperatorList, GivesDefaultTraitsToStrangers) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"com.example\" : 1]> g (float a) => (float y) { y = com.example.Frobnicate(a) "
      "}");
  EXPECT_EQ(traits_of(model.graph(), model.graph().node(NodeId{0})).kind, OpKind::Other);
}

}  // namespace
}  // namespace detent
