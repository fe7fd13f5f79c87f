#include "prepare/inline_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/model.h"
#include "model/onnx_protos.h"

namespace detent {
namespace {

constexpr const char* kHeader = "<ir_version: 8, opset_import: [\"\" : 13, \"local\" : 1]>\n";

Model model_with_functions(const std::string& graph, const std::string& functions) {
  return parse_model_text(kHeader + graph + functions);
}

std::vector<std::string> op_types(const Graph& graph) {
  std::vector<std::string> types;
  for (const Node& node : graph.nodes()) types.push_back(node.op_type);
  return types;
}

/// Absent inputs have no name.
std::vector<std::string> value_names(const Graph& graph, std::span<const MaybeValue> values) {
  std::vector<std::string> names;
  for (const MaybeValue id : values) names.push_back(id ? graph.value(*id).name : "");
  return names;
}

const std::string kTwice =
    "<domain: \"local\", opset_import: [\"\" : 13]>\n"
    "Twice (a) => (b) { t = Relu (a)  b = Add (t, t) }\n";

TEST(InlineFunctions, PutsTheBodyWhereTheCallStood) {
  Model model = model_with_functions("g (float[2] x) => (float[2] y) { h = Abs (x)  y = local.Twice (h) }\n", kTwice);
  EXPECT_EQ(inline_functions(model), 1u);
  const Graph& graph = model.graph();
  EXPECT_THAT(op_types(graph), testing::ElementsAre("Abs", "Relu", "Add"));
  EXPECT_THAT(value_names(graph, graph.node(NodeId{1}).inputs), testing::ElementsAre("h"));
  EXPECT_THAT(value_names(graph, graph.node(NodeId{2}).outputs), testing::ElementsAre("y"));
}

TEST(InlineFunctions, KeepsTwoCallsApart) {
  Model model =
      model_with_functions("g (float[2] x) => (float[2] y) { h = local.Twice (x)  y = local.Twice (h) }\n", kTwice);
  EXPECT_EQ(inline_functions(model), 2u);
  const Graph& graph = model.graph();  // indexing refuses values defined twice
  EXPECT_THAT(op_types(graph), testing::ElementsAre("Relu", "Add", "Relu", "Add"));
}

TEST(InlineFunctions, FollowsFunctionsThatCallFunctions) {
  Model model = model_with_functions("g (float[2] x) => (float[2] y) { y = local.Outer (x) }\n",
                                     kTwice +
                                         "<domain: \"local\", opset_import: [\"\" : 13, \"local\" : 1]>\n"
                                         "Outer (a) => (b) { t = local.Twice (a)  b = local.Twice (t) }\n");
  EXPECT_EQ(inline_functions(model), 3u);
  EXPECT_THAT(op_types(model.graph()), testing::ElementsAre("Relu", "Add", "Relu", "Add"));
}

TEST(InlineFunctions, FillsInTheAttributesOfTheCall) {
  Model model = model_with_functions(
      "g (float[2] x) => (float[2] y) { h = local.Leaky <slope = 0.25> (x)  y = local.Leaky (h) }\n",
      "<domain: \"local\", opset_import: [\"\" : 13]>\n"
      "Leaky <slope> (a) => (b) { b = LeakyRelu <alpha: float = @slope> (a) }\n");
  inline_functions(model);
  EXPECT_EQ(model.graph().node(NodeId{0}).float_or("alpha", 0), 0.25F);
  EXPECT_FALSE(model.graph().node(NodeId{1}).has("alpha"));  // left out by the call: the operator's default holds
}

TEST(InlineFunctions, LeavesOutWhatTheCallLeavesOut) {
  Model model = model_with_functions("g (float[2] x, float[1] high) => (float[2] y) { y = local.Bound (x, , high) }\n",
                                     "<domain: \"local\", opset_import: [\"\" : 13]>\n"
                                     "Bound (a, low, high) => (b) { b = Clip (a, low, high) }\n");
  inline_functions(model);
  EXPECT_THAT(value_names(model.graph(), model.graph().node(NodeId{0}).inputs), testing::ElementsAre("x", "", "high"));
}

TEST(InlineFunctions, CopiesAnInputThatIsReturned) {
  Model model = model_with_functions("g (float[2] x) => (float[2] y, float[2] z) { y, z = local.Both (x) }\n",
                                     "<domain: \"local\", opset_import: [\"\" : 13]>\n"
                                     "Both (a) => (a, b) { b = Relu (a) }\n");
  inline_functions(model);
  EXPECT_THAT(op_types(model.graph()), testing::ElementsAre("Relu", "Identity"));
}

TEST(InlineFunctions, LeavesAModelWithoutFunctionsAlone) {
  Model model =
      parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x) => (float[2] y) { y = Abs (x) }");
  EXPECT_EQ(inline_functions(model), 0u);
  EXPECT_THAT(op_types(model.graph()), testing::ElementsAre("Abs"));
}

TEST(InlineFunctions, RefusesAFunctionThatCallsItself) {
  Model model = model_with_functions("g (float[2] x) => (float[2] y) { y = local.Endless (x) }\n",
                                     "<domain: \"local\", opset_import: [\"\" : 13, \"local\" : 1]>\n"
                                     "Endless (a) => (b) { b = local.Endless (a) }\n");
  EXPECT_THROW(inline_functions(model), Error);
}

TEST(InlineFunctions, LooksAtOpsetsBehindLibonnxToo) {
  struct OpsetCase {
    const char* node;
    int function, model;
    bool taken;
  };
  const OpsetCase cases[] = {
      {"b = ReduceMean <axes = [0]> (a)", 17, 18, false},  // the axes became an input
      {"b = ReduceMean <axes = [0]> (a)", 18, 17, false},
      {"b = Sqrt (a)", 17, 18, true},
      {"b = Sqrt (a)", 18, 17, true},
      {"b = GridSample <mode = \"bilinear\"> (a, a)", 17, 20, false},
      {"b = AveragePool <kernel_shape = [1]> (a)", 18, 19, true},   // got an attribute that this node lacks
      {"b = AveragePool <kernel_shape = [1]> (a)", 19, 18, false},  // may have it
  };
  for (const OpsetCase& one : cases) {
    Model model = parse_model_text("<ir_version: 9, opset_import: [\"\" : " + std::to_string(one.model) +
                                   ", \"local\" : 1]>\ng (float[2] x) => (float[2] y) { y = local.F (x) }\n"
                                   "<domain: \"local\", opset_import: [\"\" : " +
                                   std::to_string(one.function) + "]>\nF (a) => (b) { " + one.node + " }\n");
    if (one.taken)
      EXPECT_EQ(inline_functions(model), 1U) << one.node;
    else
      EXPECT_THROW(inline_functions(model), Error) << one.node << " of opset " << one.function;
  }
}

TEST(InlineFunctions, RefusesAnOperatorThatMeansSomethingElseInTheModelsOpset) {
  // The axis changed its meaning in 13. IR 9 is beyond libonnx's checker, which would refuse this while reading.
  Model model = parse_model_text(
      "<ir_version: 9, opset_import: [\"\" : 13, \"local\" : 1]>\n"
      "g (float[2] x) => (float[2] y) { y = local.Old (x) }\n"
      "<domain: \"local\", opset_import: [\"\" : 11]>\n"
      "Old (a) => (b) { b = Softmax (a) }\n");
  EXPECT_THROW(inline_functions(model), Error);
}

}  // namespace
}  // namespace detent
