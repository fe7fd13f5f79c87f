#include "model/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/model.h"
#include "model/qoperators.h"
#include "tests/model/list_types_text.h"
#include "tests/model/onnx_protos.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kChain = R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 4] x) => (float[N, 4] y)
<float[4] bias = {1, 2, 3, 4}>
{
  a = Add (x, bias)
  b = Relu (a)
  y = Mul (b, a)
})";

std::vector<std::string> names_of(const Graph& graph, std::span<const ValueId> ids) {
  std::vector<std::string> names;
  for (const ValueId id : ids) names.push_back(graph.value(id).name);
  return names;
}

std::string message(const std::string& text) {
  const Error error = error_of<Error>([&] { (void)parse_model_text(text); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  return error.what();
}

TEST(Graph, KnowsProducersAndConsumers) {
  const Model model = parse_model_text(kChain);
  const Graph& graph = model.graph();
  EXPECT_THAT(names_of(graph, graph.inputs()), ElementsAre("x"));
  EXPECT_THAT(names_of(graph, graph.outputs()), ElementsAre("y"));
  const Value& a = graph.value(*graph.find_value("a"));
  EXPECT_EQ(graph.producer(a.id)->op_type, "Add");
  ASSERT_EQ(a.uses.size(), 2U);
  EXPECT_EQ(a.uses[0], (Use{NodeId{1}, 0}));
  EXPECT_EQ(a.uses[1], (Use{NodeId{2}, 1}));
  EXPECT_FALSE(a.is_output);
  EXPECT_TRUE(graph.value(*graph.find_value("y")).is_output);
  EXPECT_EQ(graph.opset(), 13);
  EXPECT_EQ(graph.opset("ai.onnx"), 13);
  EXPECT_EQ(graph.opset("com.example"), 0);
  EXPECT_EQ(graph.find_value("missing"), kNoValue);
}

TEST(Graph, CallsUnnamedNodesByOperatorAndPosition) {
  const Model model = parse_model_text(kChain);
  EXPECT_EQ(model.graph().node(NodeId{1}).name, "Relu_1");
  EXPECT_EQ(*model.graph().find_node("Mul_2"), NodeId{2});
}

TEST(Graph, TellsNodesOfOneNameApart) {
  Model model = parse_model_text(kChain);
  for (onnx::NodeProto& node : *model.mutable_proto().mutable_graph()->mutable_node()) node.set_name("same");
  EXPECT_EQ(model.graph().node(NodeId{0}).name, "same");
  EXPECT_EQ(model.graph().node(NodeId{1}).name, "same_1");
  EXPECT_EQ(model.graph().node(NodeId{2}).name, "same_2");
}

TEST(Graph, TreatsInitializersAndConstantNodesAlike) {
  const Model model = parse_model_text(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y)
<float[4] bias = {1, 2, 3, 4}>
{
  two = Constant <value = float {2}> ()
  ints = Constant <value_ints = [1, -1]> ()
  three = Constant <value_float = 3.0> ()
  a = Add (x, bias)
  b = Mul (a, two)
  c = Reshape (b, ints)
  y = Mul (c, three)
})");
  const Graph& graph = model.graph();
  const auto constant = [&](const char* name) {
    const ValueId id = *graph.find_value(name);
    EXPECT_TRUE(graph.value(id).is_constant) << name;
    return graph.constant(id);
  };
  EXPECT_THAT(constant("bias")->data<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(constant("two")->data<float>(), ElementsAre(2));
  EXPECT_THAT(constant("ints")->data<int64_t>(), ElementsAre(1, -1));
  EXPECT_THAT(constant("three")->data<float>(), ElementsAre(3));
  EXPECT_EQ(constant("three")->shape().rank(), 0U);
  EXPECT_EQ(graph.constant(*graph.find_value("a")), nullptr);
  EXPECT_EQ(graph.constant(kNoValue), nullptr);
}

TEST(Graph, KnowsDeclaredSequencesAndOptionals) {
  const Model model = test::parse_list_types(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (seq(float[N]) s, optional(int64[2]) o, optional(seq(float[N])) b, seq(string[N]) t, seq(seq(float[N])) d)
      => (bool y) { y = OptionalHasElement (o) })");
  const auto input = [&](const char* name) { return model.graph().value(*model.graph().find_value(name)); };
  EXPECT_EQ(input("s").declared_type, DataType::Sequence);
  EXPECT_FALSE(input("s").is_optional);
  EXPECT_FALSE(input("s").declared_shape);
  EXPECT_EQ(input("o").declared_type, DataType::Int64);
  EXPECT_TRUE(input("o").is_optional);
  EXPECT_THAT(*input("o").declared_shape, ElementsAre(2));
  EXPECT_EQ(input("b").declared_type, DataType::Sequence);
  EXPECT_TRUE(input("b").is_optional);
  EXPECT_FALSE(input("t").declared_type);  // elements that no Tensor holds
  EXPECT_FALSE(input("d").declared_type);
  EXPECT_FALSE(input("y").is_optional);
}

TEST(Graph, AnInitializerThatIsAlsoAnInputIsNotFedByTheUser) {
  Model model = parse_model_text(kChain);
  model.mutable_proto().mutable_graph()->add_input()->set_name("bias");
  EXPECT_THAT(names_of(model.graph(), model.graph().inputs()), ElementsAre("x"));
  EXPECT_TRUE(model.graph().value(*model.graph().find_value("bias")).is_constant);
}

TEST(Graph, UnpacksFourBitConstants) {
  Model model = parse_model_text(kChain);
  auto& graph = *model.mutable_proto().mutable_graph();
  for (const auto& [name, type] : {std::pair{"signed", 22}, std::pair{"unsigned", 21}}) {
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    tensor.add_dims(3);
    tensor.set_raw_data(std::string("\xF1\x07", 2));  // the low half first: 1, 15, 7
  }
  const Tensor* signed_codes = model.graph().constant(*model.graph().find_value("signed"));
  EXPECT_EQ(signed_codes->type(), DataType::Int4);
  EXPECT_THAT(signed_codes->reinterpreted(DataType::Int8).data<int8_t>(), ElementsAre(1, -1, 7));
  const Tensor* unsigned_codes = model.graph().constant(*model.graph().find_value("unsigned"));
  EXPECT_THAT(unsigned_codes->reinterpreted(DataType::UInt8).data<uint8_t>(), ElementsAre(1, 15, 7));
}

TEST(Graph, KeepsHalfPrecisionConstantsAsTheyAre) {
  Model model = parse_model_text(kChain);
  onnx::TensorProto& tensor = *model.mutable_proto().mutable_graph()->add_initializer();
  tensor.set_name("half");
  tensor.set_data_type(onnx::TensorProto::FLOAT16);
  tensor.add_dims(2);
  tensor.add_int32_data(0x3c00);  // 1
  tensor.add_int32_data(0xc000);  // -2
  const Tensor* half = model.graph().constant(*model.graph().find_value("half"));
  EXPECT_EQ(half->type(), DataType::Float16);
  EXPECT_THAT(cast(*half, DataType::Float32).data<float>(), ElementsAre(1, -2));
}

TEST(Graph, ReportsSparseConstantsOnlyWhereTheyAreRead) {
  Model model = parse_model_text(kChain);
  model.mutable_proto().mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("sparse");
  const Graph& graph = model.graph();
  const Error error = error_of<Error>([&] { (void)graph.constant(*graph.find_value("sparse")); });
  EXPECT_EQ(error.code(), ErrorCode::Unsupported);
  EXPECT_THAT(error.what(), HasSubstr("sparse"));
}

constexpr const char* kBranches = R"(
<ir_version: 7, opset_import: ["" : 13]>
g (bool condition, float[2] x) => (float[2] y)
<float[2] one = {1, 1}>
{
  unused = Neg (x)
  inner = Relu (x)
  y = If (condition) <
    then_branch = t () => (float[2] a) { a = Add (inner, one) },
    else_branch = e () => (float[2] b) { b = Identity (x) }
  >
})";

TEST(Graph, SubgraphsSayWhatTheyReadFromOutside) {
  const Model model = parse_model_text(kBranches);
  const Graph& graph = model.graph();
  const Node& node = graph.node(*graph.find_node("If_2"));
  const auto then_branch = node.graph("then_branch");
  EXPECT_THAT(names_of(*then_branch, then_branch->captured()), ElementsAre("inner", "one"));
  EXPECT_THAT(then_branch->constant(*then_branch->find_value("one"))->data<float>(), ElementsAre(1, 1));
  const auto else_branch = node.graph("else_branch");
  EXPECT_THAT(names_of(*else_branch, else_branch->captured()), ElementsAre("x"));
  EXPECT_THAT(graph.value(*graph.find_value("inner")).uses, ElementsAre(Use{node.id, -1}));
  EXPECT_TRUE(graph.value(*graph.find_value("unused")).uses.empty());
}

TEST(Graph, NodesOutOfOrderAreBroughtIntoExecutionOrder) {
  const Model model = parse_model_text(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y)
{
  y = Relu (b)
  a = Neg (x)
  b = Exp (a)
})");
  std::vector<std::string> order;
  for (const Node& node : model.graph().nodes()) order.push_back(node.op_type);
  EXPECT_THAT(order, ElementsAre("Neg", "Exp", "Relu"));
}

TEST(Graph, RefusesACycleAndNamesIt) {
  EXPECT_THAT(message(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y)
{
  a = Add (x, b)
  b = Relu (a)
  y = Neg (b)
})"),
              ::testing::AllOf(HasSubstr("cycle"), HasSubstr("'Add_0' (Add)"), HasSubstr("'Relu_1' (Relu)")));
}

TEST(Graph, RefusesAValueThatNothingDefines) {
  EXPECT_THAT(message(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y) { y = Add (x, ghost) })"),
              HasSubstr("node 'Add_0' (Add) reads 'ghost', which nothing defines"));
}

TEST(Graph, RefusesAValueThatIsDefinedTwice) {
  EXPECT_THAT(message(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y)
{
  y = Relu (x)
  y = Neg (x)
})"),
              HasSubstr("'y' is already defined"));
}

TEST(Graph, RefusesAnOutputThatNobodyProduces) {
  EXPECT_THAT(message(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] z) { y = Relu (x) })"),
              HasSubstr("output 'z' is not produced"));
}

TEST(Graph, RefusesAConstantWhoseDataDoesNotFillItsShape) {
  Model model = parse_model_text(kChain);
  model.mutable_proto().mutable_graph()->mutable_initializer(0)->set_dims(0, 5);
  const Error error = error_of<Error>([&] { (void)model.graph(); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  EXPECT_THAT(error.what(), HasSubstr("initializer 'bias'"));
}

TEST(Node, SaysWhichTypeAnAttributeShouldHave) {
  const Model model = parse_model_text(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y) { y = LeakyRelu <alpha = 0.5> (x) })");
  const Node& node = model.graph().node(NodeId{0});
  EXPECT_EQ(node.float_or("alpha", 0), 0.5F);
  EXPECT_EQ(node.int_or("axis", 7), 7);
  const Error error = error_of<Error>([&] { (void)node.int_or("alpha", 0); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  EXPECT_THAT(error.what(), HasSubstr("attribute 'alpha' must be an integer"));
}

TEST(IsQuantized, SeesPairsAndIntegerOperatorsButNotFloatGraphs) {
  EXPECT_FALSE(is_quantized(parse_model_text(kChain).graph()));
  EXPECT_TRUE(is_quantized(parse_model_text(R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y) <float scale = {0.5}>
{
  q = QuantizeLinear (x, scale)
  y = DequantizeLinear (q, scale)
})")
                               .graph()));
}

}  // namespace
}  // namespace detent
