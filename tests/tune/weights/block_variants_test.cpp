#include "tune/weights/block_variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"
#include "place/rules/rules.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// Three products of 32 rows: 32, 64 and 32 columns; the third reads the weight of the first.
Model network() {
  const auto zeros = [](int count) {
    std::string text = "1";
    for (int i = 1; i < count; ++i) text += ",0";
    return text;
  };
  return parse_model_text(
      "<ir_version: 10, opset_import: [\"\" : 21]> g (float[1,32] x) => (float[1,64] y, float[1,32] z) <float[32,32] w "
      "= {" +
      zeros(32 * 32) + "}, float[32,64] v = {" + zeros(32 * 64) +
      "}> { a = MatMul (x, w) y = MatMul (a, v) z = MatMul (a, w) }");
}

class BlockVariantsTest : public ::testing::Test {
 protected:
  static std::vector<NodeId> quantized(const PlacementPlan& plan) {
    std::vector<NodeId> nodes;
    for (const WeightDecision& weight : plan.weights) nodes.push_back(weight.node);
    return nodes;
  }

  const Model model_ = network();
  const Target& target_ = find_target("tensorrt");
  const BlockFormat format_{.codes = DataType::Int4, .block = 32};
  const PlacementPlan whole_ = make_weights_plan(model_.graph(), target_, {}, blocks_of(format_));
  const BlockedWeights weights_ = quantize_weights(model_.graph(), whole_, format_, 1);
};

TEST_F(BlockVariantsTest, OfferEveryLayerWithCodesAndTheElementsOfItsWeight) {
  const BlockVariants variants(model_, target_, {}, format_, weights_);
  ASSERT_EQ(variants.choices().size(), 3U);
  EXPECT_EQ(variants.choices()[0].macs, 32 * 32);
  EXPECT_EQ(variants.choices()[1].macs, 32 * 64);
  EXPECT_EQ(variants.macs(), 32 * (32 + 64 + 32));
}

TEST_F(BlockVariantsTest, QuantizeOneLayerAloneOrAllButIt) {
  BlockVariants variants(model_, target_, {}, format_, weights_);
  EXPECT_THAT(quantized(variants.alone(variants.choices()[1])), ElementsAre(NodeId{1}));
  EXPECT_THAT(quantized(variants.all_but(variants.choices()[1])), ElementsAre(NodeId{0}, NodeId{2}));
  EXPECT_EQ(variants.patch(variants.plan({})).add_nodes.size(), 3U) << "a DequantizeLinear each";
  const auto count = [](const Model& model, const std::string& op) {
    return std::ranges::count(model.graph().nodes(), op, &Node::op_type);
  };
  EXPECT_EQ(count(variants.model(variants.alone(variants.choices()[1])), "DequantizeLinear"), 1);
}

TEST_F(BlockVariantsTest, AWeightThatALayerReadsInFloatStaysForIt) {
  BlockVariants variants(model_, target_, {}, format_, weights_);
  const Model one = variants.model(variants.all_but(variants.choices()[0]));
  EXPECT_NE(one.graph().constant(*one.graph().find_value("w")), nullptr);
  const Model all = variants.model(variants.plan({}));
  EXPECT_EQ(all.graph().find_value("w"), kNoValue) << "no node reads it any more";
}

TEST_F(BlockVariantsTest, GiveTheReasonOfWhatIsKeptFloat) {
  const BlockVariants variants(model_, target_, {}, format_, weights_);
  const PlacementPlan plan = variants.plan({{model_.graph().node(NodeId{1}).name, "it costs too much"}});
  EXPECT_EQ(plan.find_layer(NodeId{1})->reason, "it costs too much");
  EXPECT_EQ(plan.find_layer(NodeId{1})->rule, &rules::kMeasuredChoice);
}

TEST_F(BlockVariantsTest, OfferTheReaderOfATableThatCodesRound) {
  std::string rows = "0.5", mask = "1";
  for (int i = 1; i < 1024; ++i) rows += ",0.0" + std::to_string(1 + i % 97), mask += ",0";
  const Model model = parse_model_text(
      "<ir_version: 10, opset_import: [\"\" : 21]> g (int64[32] ids) => (float[32,32] y) <float[32,32] e = {" + rows +
      "}, float[32,32] m = {" + mask + "}> { a = Gather (e, ids) b = Add (a, m) y = Relu (b) }");
  const PlacementPlan whole = make_weights_plan(model.graph(), target_, {}, blocks_of(format_));
  const BlockedWeights weights = quantize_weights(model.graph(), whole, format_, 1);
  EXPECT_EQ(weights.size(), 2U);
  BlockVariants variants(model, target_, {}, format_, weights);
  ASSERT_EQ(variants.choices().size(), 1U) << "the mask costs nothing";
  EXPECT_EQ(variants.choices()[0].node, NodeId{0});
  EXPECT_EQ(variants.choices()[0].macs, 1024);
  EXPECT_EQ(variants.patch(variants.plan({})).add_nodes.size(), 2U);
  EXPECT_EQ(variants.patch(variants.all_but(variants.choices()[0])).add_nodes.size(), 1U);
}

TEST_F(BlockVariantsTest, DoNotOfferWhatTheUserExcludesOrIncludes) {
  NodeChoice options;
  options.exclude = {"^" + model_.graph().node(NodeId{0}).name + "$"};
  EXPECT_EQ(BlockVariants(model_, target_, options, format_, weights_).choices().size(), 2U);
  options = {};
  options.include = {"^" + model_.graph().node(NodeId{0}).name + "$"};
  const BlockVariants included(model_, target_, options, format_, weights_);
  EXPECT_EQ(included.choices().size(), 2U) << "it cannot be kept float";
  EXPECT_EQ(quantized(included.plan({})).size(), 3U);
}

}  // namespace
}  // namespace detent
