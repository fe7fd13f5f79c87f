#include "exec/runnable_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Model model_with_outputs(const std::string& outputs, const std::string& nodes) {
  return parse_model_text("<ir_version: 7, opset_import: [\"\" : 13, \"com.acme\" : 1]>\ng (float[2,3] x) => (" +
                          outputs + ") " + nodes);
}

std::vector<std::string> ends_of(const Model& model) {
  return names_of(model.graph(), RunnablePart(model.graph()).ends());
}

TEST(RunnablePart, EndsAtTheOutputsOfAGraphThatRuns) {
  const Model model = model_with_outputs("float[2,3] y, float[2,3] z", "{ y = Relu (x)  z = Abs (y) }");
  EXPECT_THAT(ends_of(model), ElementsAre("y", "z"));
  EXPECT_THAT(RunnablePart(model.graph()).unsupported(), IsEmpty());
}

TEST(RunnablePart, EndsBeforeATailThatCannotRun) {
  const Model model = model_with_outputs("float[N] boxes, float[2,3] y",
                                         "{ y = Relu (x)  s = Sigmoid (x)  c = Constant <value = float {0.5}> ()\n"
                                         "  kept = com.acme.Suppress (y, s, c)  boxes = Abs (kept) }");
  EXPECT_THAT(ends_of(model), ElementsAre("y", "s"));  // each once, no constant, not the graph's input
  const RunnablePart part(model.graph());
  ASSERT_EQ(part.unsupported().size(), 1U);
  EXPECT_EQ(model.graph().node(part.unsupported()[0].node).op_type, "Suppress");
  EXPECT_TRUE(part.can_run(*model.graph().find_value("s")));
  EXPECT_FALSE(part.can_run(*model.graph().find_value("boxes")));
}

TEST(RunnablePart, EndsAtSomeOfTheOutputs) {
  const Model model =
      model_with_outputs("float[2,3] y, float[2,3] z, float[N] boxes",
                         "{ y = Relu (x)  z = Abs (y)  s = Sigmoid (y)  boxes = com.acme.Suppress (s) }");
  const Graph& graph = model.graph();
  const auto ends = [&](const std::vector<std::string>& outputs) {
    return names_of(graph, RunnablePart(graph, values_named(graph, outputs)).ends());
  };
  EXPECT_THAT(ends({"z"}), ElementsAre("z"));
  EXPECT_THAT(ends({"boxes"}), ElementsAre("s")) << "the value before the node that cannot run";
}

TEST(RunnablePart, NamesTheFirstNodeThatStopsAValue) {
  const Model model = model_with_outputs(
      "float[N] y", "{ a = Relu (x)  b = com.acme.Deform (a)  c = Abs (b)  d = com.acme.Suppress (c)  y = Relu (d) }");
  const Graph& graph = model.graph();
  const RunnablePart part(graph);
  const auto stopper = [&](const char* value) {
    const MaybeNode node = part.stopped_by(*graph.find_value(value));
    return node ? graph.node(*node).op_type : "";
  };
  EXPECT_EQ(stopper("a"), "");
  EXPECT_EQ(stopper("b"), "Deform");
  EXPECT_EQ(stopper("y"), "Deform") << "Suppress cannot run either, but stands behind";
  const auto unreached = unreached_values(graph, [](const std::string& name) { return name == "c"; });
  EXPECT_EQ(unreached.size(), 3U) << "b, d and y; the range of c is given";
  EXPECT_EQ(unreached.at("y"), "Deform 'Deform_1' cannot run here (this operator is not supported)");
}

TEST(RunnablePart, IsEmptyWhenTheFirstNodeCannotRun) {
  EXPECT_THAT(ends_of(model_with_outputs("float[N] y", "{ a = com.acme.Decode (x)  y = Relu (a) }")), IsEmpty());
}

TEST(RunnablePart, FindsValuesByNameAndRefusesStrangers) {
  const Model model = model_with_outputs("float[2,3] y", "{ y = Relu (x) }");
  EXPECT_THAT(values_named(model.graph(), {"y"}), ElementsAre(*model.graph().find_value("y")));
  EXPECT_THROW(static_cast<void>(values_named(model.graph(), {"missing"})), Error);
}

}  // namespace
}  // namespace detent
