#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "model/model.h"
#include "place/engines/tensorrt/rules.h"
#include "place/make_plan.h"
#include "prepare/fold_batchnorm.h"
#include "shared_folder.h"

// Users' questions, answered on their networks: a 3-D decoder (C1), branches that meet in Concats (C4), ConvTranspose
// with LeakyRelu (C5).
namespace detent {
namespace {

namespace fs = std::filesystem;

fs::path shared_model(const std::string& name) { return shared_folder() / "models" / name; }

/// Returns a model as the pipeline passes it to placement.
struct Prepared {
  explicit Prepared(const fs::path& file) : model(read_model(file)) { fold_batchnorms(model); }
  [[nodiscard]] const Graph& graph() const { return model.graph(); }
  [[nodiscard]] PlacementPlan plan(const PlacementRequest& options = {}) const {
    return make_placement_plan(graph(), find_target("tensorrt"), options);
  }
  [[nodiscard]] const Tensor& weight_of(NodeId layer) const { return *graph().constant(graph().node(layer).input(1)); }
  [[nodiscard]] std::vector<const Node*> of(const std::string& op) const {
    std::vector<const Node*> found;
    for (const Node& node : graph().nodes())
      if (node.op_type == op) found.push_back(&node);
    return found;
  }
  Model model;
};

PlacementRequest small_layers_quantized() {
  PlacementRequest options;
  options.small_layers = PlacementOptions::SmallLayers::Quantize;
  return options;
}

bool has_pair(const PlacementPlan& plan, ValueId value) {
  return std::ranges::binary_search(plan.quantized_values(), value);
}

/// Returns the value behind the only reader of a node's output.
ValueId behind_activation(const Graph& graph, const Node& node) {
  return *graph.node(graph.value(*node.output(0)).uses.at(0).node).output(0);
}

class SharedOccupancy : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!fs::exists(shared_model(GetParam()))) GTEST_SKIP() << "missing " << shared_model(GetParam());
  }
};

TEST_P(SharedOccupancy, HasNoBatchNormalizationLeft) {
  const Prepared net(shared_model(GetParam()));
  EXPECT_TRUE(net.of("BatchNormalization").empty());
  EXPECT_EQ(net.of("ConvTranspose").size(), 4U);
}

TEST_P(SharedOccupancy, RunsEveryLayerBetweenPairsInInt8WhenSmallLayersAreQuantized) {
  const Prepared net(shared_model(GetParam()));
  const PlacementPlan plan = net.plan(small_layers_quantized());
  EXPECT_EQ(plan.coverage.layers, 14);
  EXPECT_EQ(plan.coverage.int8_layers, 13);
  const auto head =
      std::ranges::find_if(plan.layers, [](const LayerDecision& layer) { return !layer.runs_on_codes(); });
  ASSERT_NE(head, plan.layers.end());
  EXPECT_EQ(net.weight_of(head->node).shape().to_string(), "1x12x1x1x1") << "the layer that writes the graph output";
  EXPECT_EQ(head->rule, &rules::tensorrt::kFloatKernels);
}

TEST_P(SharedOccupancy, ByDefaultLayersOfFewChannelsOrPositionsStayFloatAndSayWhy) {
  const Prepared net(shared_model(GetParam()));
  const PlacementPlan plan = net.plan();
  for (const LayerDecision& layer : plan.layers) {
    const Shape& weight = net.weight_of(layer.node).shape();
    EXPECT_FALSE(layer.runs_on_codes()) << weight.to_string();
    EXPECT_EQ(layer.rule, &rules::tensorrt::kSmallLayers) << weight.to_string();
    EXPECT_NE(layer.reason.find(weight.to_string()), std::string::npos) << layer.reason;
    EXPECT_NE(layer.reason.find("--policy small-layers=quantize"), std::string::npos) << layer.reason;
  }
}

TEST_P(SharedOccupancy, TheSkipOfEveryBottleneckReadsAPairWhereTheBottleneckIsInt8) {
  const Prepared net(shared_model(GetParam()));
  const PlacementPlan plan = net.plan(small_layers_quantized());
  const auto adds = net.of("Add");
  ASSERT_EQ(adds.size(), 3U);
  for (const Node* add : adds) {
    const bool first = plan.find_edge(add->id, 0)->reads_pair(), second = plan.find_edge(add->id, 1)->reads_pair();
    EXPECT_NE(first, second) << add->name;
    EXPECT_EQ(plan.find_edge(add->id, 0)->rule, &rules::tensorrt::kResidualAdd);
  }
}

TEST_P(SharedOccupancy, APairStandsBehindTheActivationOfEveryInt8Deconvolution) {
  const Prepared net(shared_model(GetParam()));
  const PlacementPlan plan = net.plan(small_layers_quantized());
  for (const Node* node : net.of("ConvTranspose")) {
    EXPECT_FALSE(has_pair(plan, *node->output(0))) << node->name;
    EXPECT_TRUE(has_pair(plan, behind_activation(net.graph(), *node))) << node->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, SharedOccupancy,
                         testing::Values("occupancy3d/model_opset13.onnx", "occupancy3d/model_opset20_dynamo.onnx"),
                         [](const auto& one) { return std::string(one.index == 0 ? "opset13" : "opset20"); });

class SharedUnet : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!fs::exists(shared_model(GetParam()))) GTEST_SKIP() << "missing " << shared_model(GetParam());
  }
};

TEST_P(SharedUnet, EveryConcatSharesOneScaleWithItsSkipByDefault) {
  const Prepared net(shared_model(GetParam()));
  const PlacementPlan plan = net.plan();
  const auto groups = plan.scale_groups();
  EXPECT_EQ(groups.size(), 3U);
  for (const Node* concat : net.of("Concat"))
    EXPECT_TRUE(std::ranges::any_of(groups, [&](const auto& group) {
      return std::ranges::binary_search(group, concat->output(0)) && group.size() >= 2;
    })) << concat->name;
}

TEST_P(SharedUnet, WithConcatInputsEveryInputCarriesTheSharedScale) {
  const Prepared net(shared_model(GetParam()));
  PlacementRequest options;
  options.concat = PlacementOptions::Concat::Inputs;
  const PlacementPlan plan = net.plan(options);
  for (const Node* concat : net.of("Concat")) {
    std::set<int> groups;
    for (const int slot : {0, 1}) {
      ASSERT_TRUE(plan.find_edge(concat->id, slot)->reads_pair()) << concat->name;
      groups.insert(plan.about(*concat->input(slot)).scale_group);
    }
    EXPECT_EQ(groups.size(), 1U);
    EXPECT_GE(*groups.begin(), 0);
  }
}

TEST_P(SharedUnet, WithConcatIndependentNothingIsShared) {
  const Prepared net(shared_model(GetParam()));
  PlacementRequest options;
  options.concat = PlacementOptions::Concat::Independent;
  EXPECT_TRUE(net.plan(options).scale_groups().empty());
}

TEST_P(SharedUnet, LeakyReluBehindADeconvolutionIsSplitOrFusedAsAsked) {
  const Prepared net(shared_model(GetParam()));
  using Policy = PlacementOptions::DeconvActivation;
  for (const Policy policy : {Policy::ByActivation, Policy::Split, Policy::Fuse}) {
    PlacementRequest options;
    options.deconv_activation = policy;
    const PlacementPlan plan = net.plan(options);
    const auto deconvolutions = net.of("ConvTranspose");
    ASSERT_EQ(deconvolutions.size(), 3U);
    for (const Node* node : deconvolutions) {
      EXPECT_EQ(has_pair(plan, *node->output(0)), policy != Policy::Fuse) << node->name;
      const Use activation = net.graph().value(*node->output(0)).uses.at(0);
      EXPECT_NE(plan.find_edge(activation.node, 0)->reason.find("--policy deconv-activation"), std::string::npos);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, SharedUnet,
                         testing::Values("shapes_unet/model_opset13.onnx", "shapes_unet/model_opset20_dynamo.onnx",
                                         "shapes_unet/model_fp16_opset17.onnx"),
                         [](const auto& one) {
                           return std::string(std::array{"opset13", "opset20", "fp16"}[one.index]);
                         });

}  // namespace
}  // namespace detent
