#include "model/graph_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/model/onnx_protos.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model chain() {
  return parse_model_text(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 4] x) => (float[N, 4] y)
<float[4] bias = {1, 2, 3, 4}, float[4] spare = {0, 0, 0, 0}>
{
  two = Constant <value = float {2}> ()
  a = Add (x, bias)
  b = Mul (a, two)
  y = Relu (b)
})");
}

std::vector<std::string> operators_of(const Model& model) {
  std::vector<std::string> operators;
  for (const onnx::NodeProto& node : model.proto().graph().node()) operators.push_back(node.op_type());
  return operators;
}

TEST(ApplyPatch, ANewNodeStandsRightBeforeTheFirstThatReadsIt) {
  Model model = chain();
  GraphPatch patch;
  patch.add_nodes.push_back({"Neg", "negate", {"b"}, {"n"}, {}, ""});
  patch.rewire.push_back({"Relu_3", 0, "n"});
  apply_patch(model, patch);
  EXPECT_THAT(operators_of(model), ElementsAre("Constant", "Add", "Mul", "Neg", "Relu"));
  EXPECT_EQ(model.graph().node(NodeId{3}).name, "negate");
}

TEST(ApplyPatch, NodesKeepTheirNamesWhenOthersGoAway) {
  Model model = chain();
  GraphPatch patch;
  patch.remove_nodes = {"Mul_2"};
  patch.rewire.push_back({"Relu_3", 0, "a"});
  apply_patch(model, patch);
  EXPECT_NE(model.graph().find_node("Relu_3"), kNoNode);
  EXPECT_EQ(model.graph().find_node("Mul_2"), kNoNode);
}

TEST(ApplyPatch, RemovesWhatItLeftWithoutAReaderAndNothingElse) {
  Model model = chain();
  GraphPatch patch;
  patch.remove_nodes = {"Add_1", "Mul_2"};
  patch.rewire.push_back({"Relu_3", 0, "x"});
  auto& graph = *model.mutable_proto().mutable_graph();
  for (const char* name : {"a", "y"}) graph.add_value_info()->set_name(name);
  graph.add_input()->set_name("bias");  // as IR 3 lists it
  apply_patch(model, patch);
  EXPECT_THAT(operators_of(model), ElementsAre("Relu"));
  ASSERT_EQ(graph.initializer_size(), 1);
  EXPECT_EQ(graph.initializer(0).name(), "spare");  // without a reader before, too
  EXPECT_EQ(graph.input_size(), 1);
  ASSERT_EQ(graph.value_info_size(), 1);
  EXPECT_EQ(graph.value_info(0).name(), "y");
}

TEST(ApplyPatch, ReplacesInitializersAndConstantNodesAlike) {
  Model model = chain();
  GraphPatch patch;
  patch.replace_constants.emplace_back("bias", Tensor::from<float>({4}, {9, 8, 7, 6}));
  patch.replace_constants.emplace_back("two", Tensor::scalar(3.0F));
  apply_patch(model, patch);
  const Graph& graph = model.graph();
  EXPECT_THAT(graph.constant(*graph.find_value("bias"))->data<float>(), ElementsAre(9, 8, 7, 6));
  EXPECT_THAT(graph.constant(*graph.find_value("two"))->data<float>(), ElementsAre(3));
}

TEST(ApplyPatch, SetsAndRemovesAttributesOfEveryKind) {
  Model model = parse_model_text(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y) { y = LeakyRelu <alpha = 0.5> (x) })");
  GraphPatch patch;
  patch.remove_attributes = {{"LeakyRelu_0", "alpha"}};
  patch.set_attributes = {{"LeakyRelu_0", {"i", int64_t{7}}},
                          {"LeakyRelu_0", {"f", 0.25F}},
                          {"LeakyRelu_0", {"s", std::string("text")}},
                          {"LeakyRelu_0", {"is", std::vector<int64_t>{1, 2}}},
                          {"LeakyRelu_0", {"fs", std::vector<float>{}}},
                          {"LeakyRelu_0", {"t", Tensor::from<int8_t>({2}, {1, -1})}}};
  apply_patch(model, patch);
  const Node& node = model.graph().node(NodeId{0});
  EXPECT_FALSE(node.has("alpha"));
  EXPECT_EQ(node.int_or("i", 0), 7);
  EXPECT_EQ(node.float_or("f", 0), 0.25F);
  EXPECT_EQ(node.string_or("s", ""), "text");
  EXPECT_THAT(node.ints_or("is", {}), ElementsAre(1, 2));
  EXPECT_TRUE(node.has("fs"));
  EXPECT_THAT(node.tensor("t")->data<int8_t>(), ElementsAre(1, -1));
}

TEST(ApplyPatch, APairCanBePutBehindAGraphOutputThatKeepsItsName) {
  Model model = chain();
  GraphPatch patch;
  patch.rename_outputs.push_back({"Relu_3", 0, "y_float"});
  patch.add_nodes.push_back({"Neg", "", {"y_float"}, {"y"}, {}, ""});
  apply_patch(model, patch);
  EXPECT_THAT(operators_of(model), ElementsAre("Constant", "Add", "Mul", "Relu", "Neg"));
  EXPECT_EQ(model.graph().value(model.graph().outputs()[0]).name, "y");
}

TEST(ApplyPatch, RaisesTheIrVersionWithTheOpsetAndNeverLowersIt) {
  Model model = chain();
  GraphPatch patch;
  patch.opset = 19;
  apply_patch(model, patch);
  EXPECT_EQ(model.ir_version(), 9);
  EXPECT_EQ(model.graph().opset(), 19);
  model.mutable_proto().set_ir_version(10);
  patch.opset = 20;
  apply_patch(model, patch);
  EXPECT_EQ(model.ir_version(), 10);
}

TEST(ApplyPatch, NewInitializersNeedIrFourWhereTheyAreNoInputs) {
  Model model = chain();
  model.mutable_proto().set_ir_version(3);
  GraphPatch patch;
  patch.add_initializers.emplace_back("new", Tensor::scalar(1.0F));
  patch.rewire.push_back({"Add_1", 1, "new"});
  apply_patch(model, patch);
  EXPECT_EQ(model.ir_version(), 4);
}

TEST(ApplyPatch, AnInputSlotThatIsNotThereYetIsMade) {
  Model model = parse_model_text(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x, float high) => (float[4] y) { y = Clip (x) })");
  GraphPatch patch;
  patch.rewire.push_back({"Clip_0", 2, "high"});
  apply_patch(model, patch);
  const Node& node = model.graph().node(NodeId{0});
  EXPECT_EQ(node.inputs.size(), 3U);
  EXPECT_EQ(node.input(1), kNoValue);
  patch.rewire[0].value = "";
  apply_patch(model, patch);
  EXPECT_EQ(model.graph().node(NodeId{0}).inputs.size(), 1U);
}

/// Patches that must be refused, with a word of the message.
struct Refused {
  const char* why;
  std::function<void(GraphPatch&)> spoil;
};

TEST(ApplyPatch, IsAllOrNothing) {
  const Refused cases[] = {
      {"no node 'ghost'", [](GraphPatch& p) { p.remove_nodes.push_back("ghost"); }},
      {"no node 'ghost'",
       [](GraphPatch& p) {
         p.rewire.push_back({"ghost", 0, "a"});
       }},
      {"which nothing defines",
       [](GraphPatch& p) {
         p.rewire.push_back({"Relu_3", 0, "ghost"});
       }},
      {"no constant 'ghost'", [](GraphPatch& p) { p.replace_constants.emplace_back("ghost", Tensor::scalar(1.0F)); }},
      {"no attribute 'ghost'", [](GraphPatch& p) { p.remove_attributes.emplace_back("Relu_3", "ghost"); }},
      {"no output 3",
       [](GraphPatch& p) {
         p.rename_outputs.push_back({"Relu_3", 3, "z"});
       }},
      {"already",
       [](GraphPatch& p) {
         p.add_nodes.push_back({"Neg", "n", {"x"}, {"a"}, {}, ""});
       }},
      {"twice", [](GraphPatch& p) { p.add_initializers.emplace_back("bias", Tensor::scalar(1.0F)); }},
      {"node 'Add_1' already",
       [](GraphPatch& p) {
         p.add_nodes.push_back({"Neg", "Add_1", {"x"}, {"m"}, {}, ""});
       }},
      {"cycle",
       [](GraphPatch& p) {
         p.rewire.push_back({"Add_1", 0, "b"});
       }},
      {"output 'y' is not produced", [](GraphPatch& p) { p.remove_nodes.push_back("Relu_3"); }},
  };
  for (const Refused& refused : cases) {
    SCOPED_TRACE(refused.why);
    Model model = chain();
    const std::string before = model.proto().SerializeAsString();
    GraphPatch patch;
    patch.reason = "spoil the graph";
    patch.add_initializers.emplace_back("new", Tensor::scalar(5.0F));
    patch.add_nodes.push_back({"Mul", "good", {"a", "new"}, {"good_out"}, {}, ""});
    patch.rewire.push_back({"Mul_2", 0, "good_out"});
    patch.set_attributes.push_back({"Relu_3", {"mark", int64_t{1}}});
    patch.opset = 14;
    refused.spoil(patch);
    const Error error = error_of<Error>([&] { apply_patch(model, patch); });
    EXPECT_EQ(error.code(), ErrorCode::Internal);
    EXPECT_THAT(error.what(), ::testing::AllOf(HasSubstr("spoil the graph"), HasSubstr(refused.why)));
    EXPECT_EQ(model.proto().SerializeAsString(), before);
    EXPECT_EQ(model.graph().nodes().size(), 4U);
  }
}

TEST(ApplyPatch, AnEmptyPatchChangesNothing) {
  Model model = chain();
  const std::string before = model.proto().SerializeAsString();
  GraphPatch patch;
  patch.reason = "nothing to do";
  EXPECT_TRUE(patch.empty());
  apply_patch(model, patch);
  EXPECT_EQ(model.proto().SerializeAsString(), before);
}

TEST(ApplyPatch, SubgraphsKeepWhatTheyRead) {
  const char* text = R"(
<ir_version: 7, opset_import: ["" : 13]>
g (bool c, float[2] x) => (float[2] y)
<float[2] one = {1, 1}>
{
  r = Relu (x)
  y = If (c) < then_branch = t () => (float[2] a) { a = Add (r, one) },
               else_branch = e () => (float[2] b) { b = Identity (x) } >
})";
  Model model = parse_model_text(text);
  GraphPatch patch;
  patch.remove_nodes = {"Relu_0"};
  EXPECT_EQ(error_of<Error>([&] { apply_patch(model, patch); }).code(), ErrorCode::Internal);
  patch.add_nodes.push_back({"Neg", "", {"x"}, {"r"}, {}, ""});
  apply_patch(model, patch);
  EXPECT_THAT(operators_of(model), ElementsAre("Neg", "If"));
  EXPECT_EQ(model.proto().graph().initializer_size(), 1);
}

TEST(CheckGraph, AcceptsWhatIsWhole) { EXPECT_NO_THROW(check_graph(chain())); }

TEST(ApplyPatch, ImportsTheDomainOfANewNode) {
  Model model = chain();
  GraphPatch patch;
  patch.add_nodes.push_back({"Gelu", "gelu", {"b"}, {"n"}, {}, "com.microsoft"});
  patch.rewire.push_back({"Relu_3", 0, "n"});
  apply_patch(model, patch);
  EXPECT_EQ(model.opsets().at("com.microsoft"), 1);
}

TEST(ApplyPatch, ImportsNothingWhereItFails) {
  Model model = chain();
  GraphPatch patch;
  patch.add_nodes.push_back({"Gelu", "gelu", {"nothing"}, {"n"}, {}, "com.microsoft"});
  patch.rewire.push_back({"Relu_3", 0, "n"});
  EXPECT_THROW(apply_patch(model, patch), Error);
  EXPECT_FALSE(model.opsets().contains("com.microsoft"));
}

}  // namespace
}  // namespace detent
