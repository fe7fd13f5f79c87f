#include "prepare/raise_opset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "detent/base/error.h"
#include "model/model.h"
#include "tests/model/onnx_protos.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Parses a graph at `from`, raises it and reads the result back from a file with libonnx's checker.
Model raised(int64_t from, int64_t wanted, const std::string& graph) {
  Model model = parse_model_text("<ir_version: 3, opset_import: [\"\" : " + std::to_string(from) + "]>\n" + graph);
  raise_opset(model, wanted);
  const TemporaryFolder folder;
  write_model(model, folder / "raised.onnx");
  Model back = read_model(folder / "raised.onnx");
  EXPECT_EQ(back.graph().opset(), wanted);
  return back;
}

std::vector<std::string> raised_operators(const Model& model) {
  std::vector<std::string> operators;
  for (const Node& node : model.graph().nodes()) operators.push_back(node.op_type);
  return operators;
}

template <class T>
std::vector<T> operand_of(const Model& model, const Node& node, size_t slot) {
  const Tensor* tensor = model.graph().constant(node.input(slot));
  if (!tensor) throw Error(ErrorCode::Internal, "operand is not constant");
  const auto data = tensor->data<T>();
  return {data.begin(), data.end()};
}

TEST(RaiseOpset, DoesNothingWhereTheModelIsThereAlready) {
  Model model =
      parse_model_text("<ir_version: 8, opset_import: [\"\" : 15]>\ng (float[4] x) => (float[4] y) { y = Relu (x) }");
  const std::string before = model.proto().SerializeAsString();
  raise_opset(model, 13);
  EXPECT_EQ(model.proto().SerializeAsString(), before);
}

TEST(RaiseOpset, OperatorsThatOnlyGotNewTypesStayAsTheyAre) {
  const Model model = raised(7, 13, R"(g (float[1, 2, 4, 4] x) => (float[1, 2, 4, 4] y)
{
  a = Relu (x)
  b = MaxPool <kernel_shape = [1, 1]> (a)
  y = Add (a, b)
})");
  EXPECT_THAT(raised_operators(model), ElementsAre("Relu", "MaxPool", "Add"));
  EXPECT_EQ(model.ir_version(), 7);
}

TEST(RaiseOpset, AttributesThatBecameInputsMove) {
  const Model model = raised(9, 13, R"(g (float[4, 6] x) => (float[1, 4] y)
{
  c = Clip <min = 0.0, max = 6.0> (x)
  s = Slice <axes = [1], starts = [1], ends = [5]> (c)
  p = Pad <mode = "constant", pads = [0, 1, 0, 1], value = 0.5> (s)
  values, indices = TopK <k = 4, axis = 1> (p)
  left, right = Split <axis = 0, split = [2, 2]> (values)
  u = Unsqueeze <axes = [0]> (left)
  q = Squeeze <axes = [0]> (u)
  y = ReduceSum <axes = [0], keepdims = 1> (q)
})");
  const auto node = [&](const char* name) -> const Node& { return model.graph().node(*model.graph().find_node(name)); };
  EXPECT_THAT(operand_of<float>(model, node("Clip_0"), 1), ElementsAre(0));
  EXPECT_THAT(operand_of<float>(model, node("Clip_0"), 2), ElementsAre(6));
  EXPECT_THAT(operand_of<int64_t>(model, node("Slice_1"), 1), ElementsAre(1));
  EXPECT_THAT(operand_of<int64_t>(model, node("Slice_1"), 2), ElementsAre(5));
  EXPECT_THAT(operand_of<int64_t>(model, node("Slice_1"), 3), ElementsAre(1));
  EXPECT_THAT(operand_of<int64_t>(model, node("Pad_2"), 1), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(operand_of<float>(model, node("Pad_2"), 2), ElementsAre(0.5F));
  EXPECT_THAT(operand_of<int64_t>(model, node("TopK_3"), 1), ElementsAre(4));
  EXPECT_EQ(node("TopK_3").int_or("axis", 0), 1);
  EXPECT_THAT(operand_of<int64_t>(model, node("Split_4"), 1), ElementsAre(2, 2));
  EXPECT_THAT(operand_of<int64_t>(model, node("Unsqueeze_5"), 1), ElementsAre(0));
  EXPECT_THAT(operand_of<int64_t>(model, node("Squeeze_6"), 1), ElementsAre(0));
  EXPECT_THAT(operand_of<int64_t>(model, node("ReduceSum_7"), 1), ElementsAre(0));
  for (const Node& each : model.graph().nodes())
    for (const char* moved : {"axes", "min", "max", "starts", "ends", "pads", "value", "k", "split"})
      EXPECT_FALSE(each.has(moved)) << each.name << " " << moved;
}

TEST(RaiseOpset, AClipWithOneBoundKeepsTheOtherOpen) {
  const Model model = raised(9, 13, "g (float[4] x) => (float[4] y) { y = Clip <max = 6.0> (x) }");
  const Node& clip = model.graph().node(NodeId{0});
  EXPECT_EQ(clip.input(1), kNoValue);
  EXPECT_THAT(operand_of<float>(model, clip, 2), ElementsAre(6));
}

TEST(RaiseOpset, UpsampleBecomesResizeWithTheSameCoordinates) {
  for (const int64_t from : {7, 9}) {
    const std::string scales = "1.0, 1.0, 2.0, 2.0";
    const Model model =
        from == 7
            ? raised(7, 13,
                     "g (float[1, 1, 4, 4] x) => (float[1, 1, 8, 8] y) { y = Upsample <mode = \"nearest\", scales = [" +
                         scales + "]> (x) }")
            : raised(9, 13, R"(g (float[1, 1, 4, 4] x) => (float[1, 1, 8, 8] y)
{
  s = Constant <value = float[4] {1, 1, 2, 2}> ()
  y = Upsample <mode = "nearest"> (x, s)
})");
    const Node& resize = *model.graph().producer(*model.graph().find_value("y"));
    EXPECT_EQ(resize.op_type, "Resize");
    EXPECT_EQ(resize.string_or("coordinate_transformation_mode", ""), "asymmetric");
    EXPECT_EQ(resize.string_or("nearest_mode", ""), "floor");
    EXPECT_EQ(resize.string_or("mode", ""), "nearest");
    EXPECT_THAT(operand_of<float>(model, resize, 1), ElementsAre());
    EXPECT_THAT(operand_of<float>(model, resize, 2), ElementsAre(1, 1, 2, 2));
    EXPECT_FALSE(resize.has("scales"));
  }
}

TEST(RaiseOpset, SoftmaxOverTheLastAxisStaysOneNode) {
  for (const char* node : {"Softmax <axis = -1> (x)", "Softmax <axis = 1> (x)", "Softmax (x)"}) {
    const Model model = raised(11, 13, std::string("g (float[N, 5] x) => (float[N, 5] y) { y = ") + node + " }");
    EXPECT_THAT(raised_operators(model), ElementsAre("Softmax"));
    EXPECT_EQ(model.graph().node(NodeId{0}).int_or("axis", 0), -1);
  }
}

TEST(RaiseOpset, SoftmaxOverSeveralAxesIsDoneOnRows) {
  for (const char* op : {"Softmax", "LogSoftmax", "Hardmax"}) {
    const Model model =
        raised(11, 13, std::string("g (float[N, 5, 3] x) => (float[N, 5, 3] y) { y = ") + op + " (x) }");
    EXPECT_THAT(raised_operators(model), ElementsAre("Flatten", op, "Shape", "Reshape"));
    const Node& flatten = *model.graph().producer(*model.graph().find_value("y_rows_in"));
    EXPECT_EQ(flatten.int_or("axis", 0), 1);
    EXPECT_EQ(model.graph().node(NodeId{1}).int_or("axis", 0), -1);
  }
}

TEST(RaiseOpset, AnAxisThatNoTensorHasIsLeftToTheOperatorToRefuse) {
  for (const char* axis : {"9223372036854775807", "-9223372036854775807", "-2", "9"}) {
    const Model model =
        raised(11, 13, std::string("g (float[2, 5] x) => (float[2, 5] y) { y = Softmax <axis = ") + axis + "> (x) }");
    EXPECT_THAT(raised_operators(model), ElementsAre("Flatten", "Softmax", "Shape", "Reshape")) << axis;
  }
}

TEST(RaiseOpset, SoftmaxOfUnknownRankIsRaisedToo) {
  const Model model = raised(
      9, 13, "g (float[1, 4] x, int64[3] s) => (float[A, B, C] y) { r = Reshape (x, s)\n y = Softmax <axis = 2> (r) }");
  EXPECT_EQ(raised_operators(model).size(), 5U);
}

TEST(RaiseOpset, TheRankOfScoresIsThatOfTheHeads) {
  const auto softmax = [](const std::string& axis, const std::string& rank) {
    return raised_operators(raised(11, 13, R"(g (float x, float[N, S] m) => (float y)
<float c = {2}>
{
  q = Transpose <perm = )" + rank + R"(> (x)
  p = MatMul (q, q)
  d = Div (p, c)
  u = Unsqueeze <axes = [1, 2]> (m)
  a = Add (d, u)
  y = Softmax <axis = )" + axis + "> (a) }"));
  };
  EXPECT_THAT(softmax("3", "[0, 2, 1, 3]"), ::testing::Not(::testing::Contains("Flatten")));
  EXPECT_THAT(softmax("2", "[0, 2, 1, 3]"), ::testing::Contains("Flatten")) << "two axes are one row";
  EXPECT_THAT(softmax("3", "[0, 2, 1, 3, 4]"), ::testing::Contains("Flatten"));
}

TEST(RaiseOpset, DropoutLosesItsRatio) {
  const Model model = raised(7, 13, "g (float[4] x) => (float[4] y) { y = Dropout <ratio = 0.3> (x) }");
  EXPECT_FALSE(model.graph().node(NodeId{0}).has("ratio"));
}

TEST(RaiseOpset, BatchNormalizationLosesItsDefaultSpatialAttribute) {
  const std::string body =
      "g (float[N, 1, 2, 2] x, float[1] a) => (float[N, 1, 2, 2] y) { y = BatchNormalization <spatial = ";
  EXPECT_FALSE(raised(7, 13, body + "1> (x, a, a, a, a) }").graph().node(NodeId{0}).has("spatial"));
  Model model = parse_model_text("<ir_version: 3, opset_import: [\"\" : 7]>\n" + body + "0> (x, a, a, a, a) }");
  EXPECT_EQ(error_of<Error>([&] { raise_opset(model, 13); }).code(), ErrorCode::Unsupported);
}

TEST(RaiseOpset, ReachesNineteenWhereReductionsTakeAxesAsInput) {
  Model model = parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[2, 4] x) => (float[2, 1] a, float[2, 1] b)
{
  mean = ReduceMean <axes = [1]> (x)
  all = ReduceMax <keepdims = 1> (x)
  left, right = Split <axis = 1> (x)
  a = Add (mean, all)
  b = ReduceMean <axes = [1]> (left)
})");
  raise_opset(model, 19);
  const Graph& graph = model.graph();
  EXPECT_EQ(graph.opset(), 19);
  EXPECT_EQ(model.ir_version(), 9);
  EXPECT_THAT(operand_of<int64_t>(model, graph.node(*graph.find_node("ReduceMean_0")), 1), ElementsAre(1));
  EXPECT_EQ(graph.node(*graph.find_node("ReduceMax_1")).inputs.size(), 1U);
  EXPECT_EQ(graph.node(*graph.find_node("Split_2")).int_or("num_outputs", 0), 2);
}

TEST(RaiseOpset, ReachesTwentyTwoWhereModesAndAxesHaveOtherForms) {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 2, 4, 4] x, float[1, 4, 4, 2] grid, float[1, 8, 1] signal) => (float[1, 2, 4, 4] y, float[1, 8, 2] z)
{
  y = GridSample <mode = "bicubic"> (x, grid)
  z = DFT (signal)
})");
  raise_opset(model, 22);
  const Graph& graph = model.graph();
  EXPECT_EQ(graph.opset(), 22);
  EXPECT_EQ(model.ir_version(), 10);
  EXPECT_EQ(graph.node(*graph.find_node("GridSample_0")).string_or("mode", ""), "cubic");
  EXPECT_THAT(operand_of<int64_t>(model, graph.node(*graph.find_node("DFT_1")), 2), ElementsAre(1));
}

TEST(RaiseOpset, GroupNormalizationGetsANumberAChannel) {
  const auto model_with = [](const std::string& shape) {
    return parse_model_text("<ir_version: 8, opset_import: [\"\" : 18]> g (" + shape + " x) => (" + shape +
                            " y) <float[2] s = {1, 2}, float[2] b = {3, 4}> "
                            "{ y = GroupNormalization <num_groups = 2> (x, s, b) }");
  };
  Model model = model_with("float[1, 4, 3]");
  raise_opset(model, 21);
  const Node& node = model.graph().node(*model.graph().find_node("GroupNormalization_0"));
  EXPECT_THAT(operand_of<float>(model, node, 1), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(operand_of<float>(model, node, 2), ElementsAre(3, 3, 4, 4));
  Model open = model_with("float[1, C, 3]");
  EXPECT_THAT(error_of<Error>([&] { raise_opset(open, 21); }).what(), HasSubstr("channels is not declared"));
}

TEST(RaiseOpset, GroupNormalizationOfNoGroupsIsRefused) {
  Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[1, 4, 3] x) => (float[1, 4, 3] y) "
      "<float[0] s = {}, float[0] b = {}> { y = GroupNormalization <num_groups = 0> (x, s, b) }");
  EXPECT_THAT(error_of<Error>([&] { raise_opset(model, 21); }).what(), HasSubstr("it has 0 groups"));
}

TEST(RaiseOpset, GroupNormalizationOfMoreChannelsThanFitMemoryIsRefused) {
  Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 18]> g (float[1, 4611686018427387904, 0] x) => (float[1, C, 0] y) "
      "<float[1] s = {1}, float[1] b = {1}> { y = GroupNormalization <num_groups = 1> (x, s, b) }");
  EXPECT_THAT(error_of<Error>([&] { raise_opset(model, 21); }).what(),
              HasSubstr("a scale of 4611686018427387904 channels takes"));
}

TEST(RaiseOpset, NamesEveryNodeItCannotRaiseAndLeavesTheModelAlone) {
  Model model = parse_model_text(R"(<ir_version: 3, opset_import: ["" : 7]>
g (float[N, 2, 2] x, float[2] a) => (float[N, 2, 2] y)
{
  m = Clip <min = 0.0, max = 1.0> (x)
  b = BatchNormalization <spatial = 0> (m, a, a, a, a)
  c = BatchNormalization <spatial = 0> (b, a, a, a, a)
  y = Relu (c)
})");
  const std::string before = model.proto().SerializeAsString();
  const Error error = error_of<Error>([&] { raise_opset(model, 13); });
  EXPECT_EQ(error.code(), ErrorCode::Unsupported);
  EXPECT_THAT(error.what(), ::testing::AllOf(HasSubstr("from 7 to 13"), HasSubstr("'BatchNormalization_1'"),
                                             HasSubstr("'BatchNormalization_2'")));
  EXPECT_THAT(error.hint(), HasSubstr("--format per-tensor=on"));
  EXPECT_EQ(model.proto().SerializeAsString(), before);
}

/// Returns an If whose then_branch is `inner`, which writes `a`; `s` is a constant of the outer graph.
Model model_with_branch(int from, const std::string& inner) {
  return parse_model_text("<ir_version: 6, opset_import: [\"\" : " + std::to_string(from) + R"(]>
g (bool c, float[1, 4] x, float[1, 1, 4, 4] image) => (float[A, B] y) < float[4] s = {1, 1, 0.5, 0.5}, float a_axes = {0} >
{
  unused = Identity (a_axes)
  y = If (c) < then_branch = t () => (float[A, B] a) { )" +
                          inner + R"( },
               else_branch = e () => (float[A, B] b) { b = Identity (x) } >
})");
}

std::shared_ptr<const Graph> branch_of(const Model& model, const Graph& graph, const std::string& name) {
  for (const Node& node : graph.nodes())
    for (const Attribute& attribute : node.attributes)
      if (attribute.name == name) return std::get<std::shared_ptr<const Graph>>(attribute.value);
  ADD_FAILURE() << "no " << name << " in a model of opset " << model.graph().opset();
  return nullptr;
}

const Node& node_of(const Graph& graph, const std::string& op_type) {
  return *std::ranges::find(graph.nodes(), op_type, &Node::op_type);
}

TEST(RaiseOpset, OperatorsInsideBranchesAreRaisedLikeThoseAround) {
  Model model = model_with_branch(11, "a = ReduceMean <axes = [0], keepdims = 0> (x)");
  raise_opset(model, 18);
  const auto branch = branch_of(model, model.graph(), "then_branch");
  const Node& mean = node_of(*branch, "ReduceMean");
  EXPECT_FALSE(mean.has("axes"));
  ASSERT_NE(branch->constant(mean.input(1)), nullptr);
  EXPECT_THAT(branch->constant(mean.input(1))->data<int64_t>(), ElementsAre(0));
  EXPECT_NE(branch->value(*mean.input(1)).name, "a_axes") << "an outer value";
  EXPECT_TRUE(branch->inputs().empty()) << "outer values that it reads are not inputs";
  const TemporaryFolder folder;
  write_model(model, folder / "raised.onnx");
  EXPECT_EQ(read_model(folder / "raised.onnx").graph().opset(), 18);
}

TEST(RaiseOpset, OperatorsInsideBranchesOfBranchesAreRaisedToo) {
  Model model =
      model_with_branch(11, R"(a = If (c) < then_branch = u () => (float[A, B] d) { d = Squeeze <axes = [0]> (x) },
                                                   else_branch = v () => (float[A, B] f) { f = Identity (x) } >)");
  raise_opset(model, 13);
  const auto outer = branch_of(model, model.graph(), "then_branch");
  const auto inner = branch_of(model, *outer, "then_branch");
  EXPECT_EQ(node_of(*inner, "Squeeze").inputs.size(), 2U);
  EXPECT_TRUE(outer->inputs().empty() && inner->inputs().empty());
}

// The scales, below 1, decide how nearest rounds; they are constants of the outer graph.
TEST(RaiseOpset, AnAdapterInsideABranchSeesTheConstantsAround) {
  Model model = model_with_branch(10, "r = Resize <mode = \"nearest\"> (image, s) a = Flatten (r)");
  raise_opset(model, 13);
  const auto branch = branch_of(model, model.graph(), "then_branch");
  EXPECT_EQ(node_of(*branch, "Resize").string_or("nearest_mode", ""), "ceil");
  EXPECT_EQ(branch->value(*node_of(*branch, "Resize").input(2)).name, "s");
}

TEST(RaiseOpset, WhatHasNoAdapterInsideABranchIsNamed) {
  Model model = model_with_branch(8, "a = BatchNormalization <spatial = 0> (x, x, x, x, x)");
  const std::string before = model.proto().SerializeAsString();
  EXPECT_THAT(error_of<Error>([&] { raise_opset(model, 13); }).what(), HasSubstr("(BatchNormalization)"));
  EXPECT_EQ(model.proto().SerializeAsString(), before);
}

TEST(RaiseOpset, BoundsAndFillHaveTheTypeThatFollowsFromTheInputs) {
  const std::pair<const char*, DataType> cases[] = {{"float16", DataType::Float16}, {"float", DataType::Float32}};
  for (const auto& [type, expected] : cases) {
    const std::string name = type;
    const Model model = raised(10, 13, "g (" + name + "[4] x) => (" + name + R"([6] y)
{
  a = Neg (x)
  c = Clip <min = 0.0, max = 6.0> (a)
  y = Pad <mode = "constant", pads = [1, 1], value = 0.5> (c)
})");
    const Node &clip = node_of(model.graph(), "Clip"), &pad = node_of(model.graph(), "Pad");
    for (const MaybeValue operand : {clip.input(1), clip.input(2), pad.input(2)})
      EXPECT_EQ(model.graph().constant(operand)->type(), expected);
  }
}

TEST(RaiseOpset, InsideABranchTypesFollowFromTheGraphAround) {
  Model model = parse_model_text(R"(<ir_version: 6, opset_import: ["" : 10]>
g (float16[4] x, bool c) => (float16[4] y)
{
  a = Neg (x)
  y = If (c) <then_branch = t () => (p) { p = Clip <min = 0.0> (a) }, else_branch = e () => (q) { q = Abs (a) }>
})");
  raise_opset(model, 13);
  const Graph& branch = *node_of(model.graph(), "If").graph("then_branch");
  EXPECT_EQ(branch.constant(node_of(branch, "Clip").input(1))->type(), DataType::Float16);
}

TEST(RaiseOpset, ASplitMayLeaveOutItsFirstPart) {
  Model model = parse_model_text(R"(<ir_version: 6, opset_import: ["" : 11]>
g (float[4] x) => (float[3] y) { unread, y = Split <axis = 0, split = [1, 3]> (x) })");
  model.mutable_proto().mutable_graph()->mutable_node(0)->set_output(0, "");
  raise_opset(model, 13);
  const Node& split = node_of(model.graph(), "Split");
  EXPECT_EQ(split.output(0), kNoValue);
  EXPECT_THAT(operand_of<int64_t>(model, split, 1), ElementsAre(1, 3));
}

TEST(RaiseOpset, GoesNoFurtherThanItKnows) {
  Model model =
      parse_model_text("<ir_version: 8, opset_import: [\"\" : 15]>\ng (float[4] x) => (float[4] y) { y = Relu (x) }");
  EXPECT_EQ(error_of<Error>([&] { raise_opset(model, 23); }).code(), ErrorCode::Unsupported);
}

}  // namespace
}  // namespace detent
