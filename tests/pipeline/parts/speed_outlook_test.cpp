#include "pipeline/parts/speed_outlook.h"

#include <gmock/gmock.h>

#include "detent/lint.h"
#include "detent/plan.h"
#include "lint/exported_networks.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Lints a ResNet-18 with pairs in these places.
PlanReport linted(test::PairPlaces places, const std::string& target = "tensorrt") {
  const TemporaryFolder folder;
  write_model(test::ResNet18Pairs(places).model(), folder / "model.onnx");
  return lint_model({.model = folder / "model.onnx", .target = target, .shapes = {}}).plan;
}

// On an A100 these three take 0.882, 0.546 and 0.500 ms, and FP16 0.863 ms.

TEST(SpeedOutlook, CountsWhatStandsAloneInResnetWithFloatShortcuts) {
  const auto outlook = linted({}).outlook;
  ASSERT_TRUE(outlook);
  EXPECT_EQ(outlook->verdict, "unknown") << "counts predict nothing";
  EXPECT_THAT(outlook->text, StartsWith("100.0 % of MACs in INT8, 10 quantizers stand alone (8 shortcuts), 2 float "
                                        "layers between INT8 layers, "));
  EXPECT_GT(outlook->border_bytes, 0);
}

TEST(SpeedOutlook, CountsFewInResnetWithPairsOnTheShortcuts) {
  const auto outlook = linted({.shortcuts = true}).outlook;
  ASSERT_TRUE(outlook);
  EXPECT_EQ(outlook->verdict, "unknown");
  EXPECT_THAT(outlook->text, StartsWith("100.0 % of MACs in INT8, 3 quantizers stand alone, 1 float layer"));
  EXPECT_EQ(outlook->shortcuts, 0U);
}

TEST(SpeedOutlook, NamesTheOneQuantizerOfResnetWithAPairInFrontOfThePoolToo) {
  const PlanReport plan = linted({.shortcuts = true, .pool = true});
  ASSERT_TRUE(plan.outlook);
  EXPECT_THAT(plan.outlook->text, StartsWith("100.0 % of MACs in INT8, 1 quantizer stands alone"));
  ASSERT_EQ(plan.quantizers.size(), 1U);
  EXPECT_THAT(plan.quantizers.front().reason, HasSubstr("the network's input is float"));
}

TEST(SpeedOutlook, IsAbsentForFloatFilesAndOtherEngines) {
  EXPECT_FALSE(linted({.none = true}).outlook);
  const PlanReport other = linted({}, "onnxruntime");
  EXPECT_FALSE(other.outlook);
  EXPECT_THAT(other.quantizers, IsEmpty());
}

TEST(SpeedOutlook, OfAPlanIsThatOfTheFileThatItWouldWrite) {
  const TemporaryFolder folder;
  write_model(test::ResNet18Pairs({.none = true}).model(), folder / "model.onnx");
  PlanModelOptions options;
  options.model = folder / "model.onnx";
  options.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
  const PlanReport plan = plan_model(options);
  ASSERT_TRUE(plan.outlook);
  EXPECT_EQ(plan.outlook->verdict, "unknown") << plan.outlook->text;
  ASSERT_EQ(plan.quantizers.size(), 1U);
  EXPECT_EQ(plan.quantizers.front().node, "x_QuantizeLinear");
  EXPECT_GT(plan.outlook->border_bytes, 0);
  options.target = "onnxruntime";
  EXPECT_FALSE(plan_model(options).outlook);
}

CoverageReport coverage_of(int64_t layers, int64_t int8_layers, int64_t macs, int64_t int8_macs) {
  CoverageReport coverage;
  coverage.layers = layers, coverage.int8_layers = int8_layers, coverage.macs = macs, coverage.int8_macs = int8_macs;
  return coverage;
}

TEST(SpeedOutlook, IsUnknownWhateverTheCountsAre) {
  const SpeedOutlook outlook = judge_speed({.quantizers = 1}, coverage_of(10, 8, 100, 30));
  EXPECT_EQ(outlook.verdict, "unknown");
  EXPECT_EQ(outlook.text, "30.0 % of MACs in INT8, 1 quantizer stands alone");
  EXPECT_EQ(judge_speed({.quantizers = 99}, coverage_of(20, 20, 100, 100)).verdict, "unknown");
}

/// Returns what a table expects of the file's time over the float model's.
LatencyForecast forecast_of(std::optional<double> ratio, double error) {
  return {.ratio = ratio, .ratio_error = error};
}

TEST(SpeedOutlook, FollowsForecastsBeyondTheirError) {
  const CoverageReport all = coverage_of(20, 20, 100, 100);
  EXPECT_EQ(judge_speed({}, all, {forecast_of(0.9, 0.05)}).verdict, "likely");
  EXPECT_EQ(judge_speed({}, all, {forecast_of(0.9, 0.15)}).verdict, "doubtful") << "within the error";
  EXPECT_EQ(judge_speed({}, all, {forecast_of(1.2, 0.05)}).verdict, "doubtful");
  EXPECT_EQ(judge_speed({}, all, {forecast_of(std::nullopt, 0)}).verdict, "unknown");
  EXPECT_EQ(judge_speed({}, all, {forecast_of(0.9, 0.05), forecast_of(std::nullopt, 0)}).verdict, "likely");
  EXPECT_EQ(judge_speed({}, all, {forecast_of(0.9, 0.05), forecast_of(1.2, 0.05)}).verdict, "doubtful")
      << "on one of both machines";
}

TEST(SpeedOutlook, IsNoneWithoutAnInt8LayerWhateverTheForecast) {
  EXPECT_EQ(judge_speed({}, coverage_of(10, 0, 100, 0), {forecast_of(0.5, 0.01)}).verdict, "none");
}

TEST(SpeedOutlook, IsNoneWithoutAnInt8Layer) {
  const SpeedOutlook outlook = judge_speed({}, coverage_of(10, 0, 100, 0));
  EXPECT_EQ(outlook.verdict, "none");
  EXPECT_EQ(outlook.text, "INT8 cannot beat FP16: no layer runs in INT8");
}

TEST(SpeedOutlook, CountsLayersWhereSizesAreOpen) {
  EXPECT_THAT(judge_speed({}, coverage_of(4, 4, 0, 0)).text, HasSubstr("100.0 % of weighted layers in INT8"));
}

TEST(SpeedOutlook, CountsCopies) {
  EXPECT_THAT(judge_speed({.concat_copies = 11}, coverage_of(10, 10, 100, 100)).text,
              HasSubstr("11 copies of codes into Concats"));
}

TEST(SpeedOutlook, NamesFloatAttention) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,4,8] a, float[1,8,4] b, float[1,4,8] v) => (float[1,4,8] y) {
  s = MatMul (a, b)  p = Softmax (s)  y = MatMul (p, v) })");
  PlanReport report;
  report.coverage = coverage_of(1, 1, 10, 10);
  add_outlook(model.graph(), {}, report);
  EXPECT_EQ(report.outlook->attention_blocks, 1U);
  EXPECT_THAT(report.outlook->text, HasSubstr("1 attention block stays float"));
}

}  // namespace
}  // namespace detent
