#include <gtest/gtest.h>

#include "place/engines/tensorrt/rules.h"
#include "place/make_plan.h"
#include "place/resnet50_graph.h"

// Case C7: which parts of a stem (Conv, Relu, MaxPool) and sixteen bottlenecks run in INT8.
namespace detent {
namespace {

using test::Block;
using test::ResNet50;

TEST(ResNet50, RunsWhollyInInt8OnTensorRT) {
  const ResNet50 net;
  const PlacementPlan plan = make_placement_plan(net.graph(), find_target("tensorrt"), {});
  EXPECT_EQ(plan.coverage.layers, 54);  // 1 + 16 * 3 + 4 convolutions, one Gemm
  for (const LayerDecision& layer : plan.layers)
    EXPECT_EQ(layer.runs_on_codes(), layer.rule != &rules::tensorrt::kSmallLayers)
        << net.graph().node(layer.node).name << ": " << layer.reason;
  // The product of the head certainly has one row: R10 keeps it float.
  EXPECT_EQ(plan.coverage.int8_layers, 53);
}

TEST(ResNet50, EveryBlockPairsItsSkipAndKeepsItsMainBranchFloat) {
  const ResNet50 net;
  const PlacementPlan plan = make_placement_plan(net.graph(), find_target("tensorrt"), {});
  ASSERT_EQ(net.blocks.size(), 16U);
  for (const Block& block : net.blocks) {
    const NodeId add = net.writer(block.add);
    const EdgeDecision* main = plan.find_edge(add, 0);
    const EdgeDecision* skip = plan.find_edge(add, 1);
    EXPECT_FALSE(main->reads_pair()) << block.main << ": " << main->reason;
    EXPECT_TRUE(skip->reads_pair()) << block.skip << ": " << skip->reason;
    EXPECT_EQ(main->rule, &rules::tensorrt::kResidualAdd);
    EXPECT_EQ(skip->rule, &rules::tensorrt::kResidualAdd);
  }
}

TEST(ResNet50, TheStemHasNoPairAroundItsReluAndMaxPool) {
  const ResNet50 net;
  const PlacementPlan plan = make_placement_plan(net.graph(), find_target("tensorrt"), {});
  EXPECT_TRUE(plan.find_edge(net.writer(net.stem), 0)->reads_pair());
  EXPECT_FALSE(plan.find_edge(net.writer(net.pool), 0)->reads_pair());
  EXPECT_EQ(plan.find_edge(net.writer(net.pool), 0)->rule, &rules::tensorrt::kCommutingOps);
  PlacementRequest both;
  both.maxpool = PlacementOptions::MaxPool::Both;
  EXPECT_TRUE(
      make_placement_plan(net.graph(), find_target("tensorrt"), both).find_edge(net.writer(net.pool), 0)->reads_pair());
}

TEST(ResNet50, RunsWhollyInIntegersInOnnxRuntime) {
  const ResNet50 net;
  const PlacementPlan plan = make_placement_plan(net.graph(), find_target("onnxruntime"), {});
  EXPECT_EQ(plan.coverage.int8_layers, 54);
  for (const Block& block : net.blocks)
    for (const int slot : {0, 1}) EXPECT_TRUE(plan.find_edge(net.writer(block.add), slot)->reads_pair()) << block.add;
}

}  // namespace
}  // namespace detent
