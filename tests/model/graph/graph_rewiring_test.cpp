#include "model/graph/graph_rewiring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Nothing reads `spare`.
const char* const kRewiredText = R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 3] x) => (float[N, 3] y) { a = Relu (x)  b = Abs (a)  y = Neg (b)  half = Floor (a)  spare = Ceil (half) })";

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.push_back(node.op_type);
  return names;
}

TEST(GraphRewiring, MovesNodesUpBehindWhatTheyRead) {
  const Model model = parse_model_text(kRewiredText);
  const Graph moved = GraphRewiring::moved_up(model.graph(), NodeId{3});
  EXPECT_THAT(operators(moved), ElementsAre("Relu", "Floor", "Ceil", "Abs", "Neg"));
  for (const Node& node : moved.nodes()) {
    EXPECT_EQ(*moved.find_node(node.name), node.id);
    for (const ValueId output : present(node.outputs)) EXPECT_EQ(moved.value(output).producer, node.id);
  }
  EXPECT_THAT(moved.value(*moved.find_value("a")).uses, ElementsAre(Use{NodeId{1}, 0}, Use{NodeId{3}, 0}));
}

TEST(GraphRewiring, ChangesWhatASlotReadsAndWhoReadsAValue) {
  const Model model = parse_model_text(kRewiredText);
  const Graph graph = GraphRewiring::moved_up(model.graph(), NodeId{3});
  const ValueId spare = *graph.find_value("spare");
  const NodeId abs = *graph.find_node("Abs_1");
  const Rewiring rewiring{abs, 0, spare};
  const Graph rewired = GraphRewiring::rewired(graph, std::span(&rewiring, 1));
  EXPECT_EQ(rewired.node(abs).input(0), spare);
  EXPECT_THAT(rewired.value(spare).uses, ElementsAre(Use{abs, 0}));
  EXPECT_THAT(rewired.value(*graph.find_value("a")).uses, ElementsAre(Use{NodeId{1}, 0}));
  EXPECT_THAT(graph.value(spare).uses, IsEmpty());  // the original stays
}

TEST(GraphRewiring, RefusesAValueThatIsWrittenLater) {
  const Model model = parse_model_text(kRewiredText);
  const Graph& graph = model.graph();
  const Rewiring rewiring{*graph.find_node("Abs_1"), 0, *graph.find_value("spare")};
  EXPECT_THROW(static_cast<void>(GraphRewiring::rewired(graph, std::span(&rewiring, 1))), Error);
}

}  // namespace
}  // namespace detent
