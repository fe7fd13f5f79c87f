#include "explain/explain_layers.h"

#include <gmock/gmock.h>

#include "explain/differences.h"
#include "explain/engine_text.h"
#include "explain/predictions.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// A quantizer, an INT8 Conv, a float pool and a layer that costs nothing.
BuiltEngine small_engine() {
  return {"detailed",
          {pair_node("QuantizeLinear_1", {"x", kLinear}, {"q", kCodes}),
           int8_conv("Conv_2", {{"q", kCodes}}, {"a", kLinear}),
           plain_layer("Pooling", "MaxPool_3", {{"a", kLinear}}, {"b", kLinear}),
           plain_layer("NoOp", "Reshape_4", {{"b", kLinear}}, {"y", kLinear})},
          {}};
}

double sum_of(const ExplainReport::Summary& s) { return s.int8 + s.fp16 + s.fp32 + s.other + s.reformat; }

TEST(ExplainLayers, SharesCountLayersThatCostTime) {
  const auto rows = explain_layers(small_engine());
  EXPECT_THAT(rows[1].nodes, ElementsAre("Conv_2"));
  EXPECT_EQ(rows[1].arithmetic + " " + rows[1].output, "int8 fp32");
  EXPECT_EQ(rows[3].kind, "none");
  EXPECT_EQ(rows[3].share, 0);
  const auto summary = summarize(rows);
  EXPECT_DOUBLE_EQ(summary.int8, 1.0 / 3);
  EXPECT_DOUBLE_EQ(sum_of(summary), 1);
  EXPECT_EQ(summary.standalone_quantize, 1U);
  EXPECT_EQ(summary.reformats, 0U);
  EXPECT_FALSE(summary.total_ms);
}

TEST(ExplainLayers, SharesAreOfTimeWhereThereAreTimes) {
  BuiltEngine engine = small_engine();
  engine.layers[0].ms = 0.1;
  engine.layers[1].ms = 0.3;
  const auto summary = summarize(explain_layers(engine));
  EXPECT_DOUBLE_EQ(summary.int8, 0.75);
  EXPECT_DOUBLE_EQ(summary.reformat, 0.25);
  EXPECT_DOUBLE_EQ(summary.total_ms.value_or(0), 0.4);
}

TEST(ExplainLayers, LayersThatTakeNoTimeHaveNoShares) {
  BuiltEngine engine = small_engine();
  for (EngineLayer& layer : engine.layers) layer.ms = 0;
  EXPECT_EQ(sum_of(summarize(explain_layers(engine))), 0);
}

TEST(Differences, AreLayersWithOtherNodesOrTypes) {
  BuiltEngine other = small_engine();
  other.layers[1] = int8_conv("Conv_2 + MaxPool_3", {{"q", kCodes}}, {"b", kCodes});
  other.layers.erase(other.layers.begin() + 2);
  const auto against = compare_layers(explain_layers(small_engine()), explain_layers(other));
  EXPECT_EQ(against.same, 0U);
  ASSERT_EQ(against.differences.size(), 1U);
  EXPECT_THAT(against.differences[0].nodes, ElementsAre("Conv_2", "MaxPool_3"));
  EXPECT_EQ(against.differences[0].computes + ", " + against.differences[0].other_computes,
            "int8 -> fp32 | fp32 -> fp32, int8 -> int8");
}

TEST(Differences, OfNumberedNodesGoByTheirWeights) {
  const auto engine = [](const char* conv, const char* other, const char* pool, const char* output) {
    return explain_layers(
        {"detailed",
         {int8_conv(conv, {{"x", kCodes}}, {"a", output}), int8_conv(other, {{"a", kCodes}}, {"b", kCodes}),
          plain_layer("Pooling", pool, {{"b", kCodes}}, {"y", kCodes})},
         {}});
  };
  const auto against =
      compare_layers(engine("a.weight + Conv_4", "b.weight + Conv_8", "GlobalAveragePool_9", kCodes),
                     engine("a.weight + Conv_8", "b.weight + Conv_16", "GlobalAveragePool_20", kLinear));
  EXPECT_EQ(against.same, 2U) << "b and the pool";
  ASSERT_EQ(against.differences.size(), 1U);
  EXPECT_EQ(against.differences[0].layer + ", " + against.differences[0].other, "a.weight + Conv_4, a.weight + Conv_8");
}

TEST(Differences, AreNoneBetweenEqualEngines) {
  const auto against = compare_layers(explain_layers(small_engine()), explain_layers(small_engine()));
  EXPECT_EQ(against.same, 2U);
  EXPECT_TRUE(against.differences.empty());
}

TEST(Differences, NameLayersThatOneEngineLacks) {
  BuiltEngine other = small_engine();
  other.layers.pop_back();
  other.layers.push_back(plain_layer("Softmax", "Softmax_9", {{"b", kLinear}}, {"y", kLinear}));
  const auto against = compare_layers(explain_layers(small_engine()), explain_layers(other));
  ASSERT_EQ(against.differences.size(), 1U);
  EXPECT_EQ(against.differences[0].layer + "|" + against.differences[0].other, "|Softmax_9");
}

TEST(Predictions, AreRightWhereTheLayerComputesSo) {
  auto rows = explain_layers(small_engine());
  const auto judged = judge_predictions({{"Conv_2", true}, {"Gemm_8", true}}, rows);
  EXPECT_EQ(judged.layers, 1U);
  EXPECT_EQ(judged.right, 1U);
  EXPECT_THAT(judged.missing, ElementsAre("Gemm_8"));
  EXPECT_EQ(judge_predictions({{"Conv_2", false}}, rows).right, 0U);
  EXPECT_EQ(rows[1].predicted, "float");
  EXPECT_FALSE(rows[1].right);
}

TEST(Predictions, OfOutputsAndQuantizersAreJudgedByTheLayersThatHoldTheNodes) {
  auto rows = explain_layers(small_engine());
  ExplainReport::Predictions judged;
  judge_outputs({{"Conv_2", true}, {"MaxPool_3", true}}, rows, judged);
  EXPECT_EQ(judged.outputs, 1U);
  EXPECT_EQ(judged.outputs_right, 0U) << "it writes fp32";
  EXPECT_EQ(rows[1].predicted_output, "int8");
  judge_quantizers({{"QuantizeLinear_0", "QuantizeLinear_1"}, {"QuantizeLinear_7"}}, rows, judged);
  EXPECT_EQ(judged.quantizers_right, 1U);
  EXPECT_THAT(judged.folded, ElementsAre("QuantizeLinear_7"));
  EXPECT_EQ(rows[0].predicted, "quantize");
  judge_quantizers({}, rows, judged);
  EXPECT_EQ(rows[0].predicted, "folded");
  EXPECT_FALSE(rows[0].right);
}

TEST(Predictions, OfFusionsAreRightWhereOneLayerHoldsBothNodes) {
  std::vector<ExplainReport::Layer> rows(2);
  rows[0].nodes = {"Conv_1", "Add_2"};
  rows[1].nodes = {"MaxPool_3"};
  ExplainReport::Predictions judged;
  judge_fusions(
      {{"Add_2", "Conv_1", true, true}, {"MaxPool_3", "Conv_1", true, true}, {"Relu_4", "Conv_1", true, true}}, rows,
      judged);
  ASSERT_EQ(judged.fusions.size(), 2U) << "the engine does not name the Relu";
  EXPECT_TRUE(judged.fusions[0].right);
  EXPECT_FALSE(judged.fusions[1].right);
}

TEST(Predictions, OfReformatsAreCountedAtTheNodeInTheirName) {
  std::vector<ExplainReport::Layer> rows(3);
  for (auto& row : rows) row.kind = "reformat";
  rows[0].name = "Reformatting CopyNode for Input Tensor 0 to MaxPool_1";
  rows[1].name = "Reformatting CopyNode for Input Tensor 0 to MaxPool_12";
  rows[2].name = "Reformatting CopyNode for Output Tensor 0 to reshape_after_Gemm_4";
  ExplainReport::Predictions judged;
  judge_reformats({{{"MaxPool_1"}, "a"}, {{"Gemm_4"}, "b"}}, rows, judged);
  ASSERT_EQ(judged.reformat_places.size(), 2U);
  EXPECT_EQ(judged.reformat_places[0].reformats, 1U);
  EXPECT_EQ(judged.reformat_places[1].reformats, 1U);
  EXPECT_EQ(judged.reformats_elsewhere, 1U);
}

TEST(Predictions, OfCopiesAreRightWhereACopyNamesTheValue) {
  std::vector<ExplainReport::Layer> rows(1);
  rows[0].kind = "copy";
  rows[0].name = "Concat_1_a_clone_0 copy";
  ExplainReport::Predictions judged;
  judge_copies({{"Concat_1", "_a_", "r", true}, {"Concat_1", "_b_", "r", true}}, rows, judged);
  EXPECT_TRUE(judged.copies[0].right);
  EXPECT_FALSE(judged.copies[1].right);
}

}  // namespace
}  // namespace detent
