#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "detent/explain.h"
#include "lint/exported_detector.h"
#include "lint/exported_networks.h"
#include "model/temporary_folder.h"
#include "shared_folder.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

/// Explains a file below the folder of engines; skips the test where the folder is absent.
#define ENGINE_OR_SKIP(name, layers, profile)                                           \
  if (!fs::exists(shared_folder() / "engines")) GTEST_SKIP() << "no folder of engines"; \
  const ExplainReport name = explain(layers, profile)

ExplainReport explain(const std::string& layers, const std::string& profile) {
  const fs::path folder = shared_folder() / "engines";
  ExplainOptions options;
  options.layers = folder / layers;
  if (!profile.empty()) options.profile = folder / profile;
  return explain_engine(options);
}

const ExplainReport::Layer& layer_named(const ExplainReport& report, const std::string& part) {
  const auto found = std::ranges::find_if(
      report.layers, [&](const auto& layer) { return layer.name.find(part) != std::string::npos; });
  EXPECT_NE(found, report.layers.end()) << part;
  return found == report.layers.end() ? report.layers.front() : *found;
}

const std::string kResnet = "trex-pt-resnet18-A100-";

TEST(SharedEngines, FloatShortcutsOfResnetCostTenQuantizers) {
  ENGINE_OR_SKIP(report, kResnet + "qat/resnet-qat.onnx.engine.graph.json",
                 kResnet + "qat/resnet-qat.onnx.engine.profile.json");
  EXPECT_EQ(report.summary.standalone_quantize, 10U);
  EXPECT_THAT(layer_named(report, "QuantizeLinear_15").cause, HasSubstr("the shortcut into Conv_34 + Add_36"));
  EXPECT_THAT(layer_named(report, "Conv_9").cause,
              AllOf(HasSubstr("writes fp32"), HasSubstr("MaxPool_12 hands it on")));
  EXPECT_EQ(report.summary.unexplained, 0);
}

TEST(SharedEngines, PairsOnTheShortcutsLeaveThreeAndTheLastBlockWritesFloats) {
  ENGINE_OR_SKIP(report, kResnet + "qat-residual/resnet-qat-residual.onnx.engine.graph.json", "");
  EXPECT_EQ(report.summary.standalone_quantize, 3U);
  EXPECT_THAT(layer_named(report, "Conv_284").cause,
              HasSubstr("writes fp32: GlobalAveragePool_294 reads it as fp32: it has no pair"));
  EXPECT_THAT(layer_named(report, "Conv_9").nodes, ::testing::Contains("MaxPool_12"));
}

TEST(SharedEngines, APairInFrontOfThePoolLeavesTheInputsQuantizer) {
  ENGINE_OR_SKIP(report, kResnet + "qat-residual-qgap/resnet-qat-residual-qgap.onnx.engine.graph.json", "");
  EXPECT_EQ(report.summary.standalone_quantize, 1U);
  EXPECT_THAT(layer_named(report, "QuantizeLinear_2").cause, HasSubstr("the network's input is fp32"));
}

TEST(SharedEngines, MobilenetHasSeventeenQuantizersForItsFloatShortcuts) {
  ENGINE_OR_SKIP(report, "trex-mobilenet-qat/mobilenet.qat.onnx.engine.graph.json", "");
  EXPECT_EQ(report.summary.standalone_quantize, 17U);
  EXPECT_EQ(report.summary.unexplained, 0);
}

TEST(SharedEngines, OfTwelveNamesThatSayReformattingTwoAreReal) {
  ENGINE_OR_SKIP(report, kResnet + "fp16/resnet.onnx.engine.graph.json", "");
  EXPECT_EQ(report.summary.reformats, 2U);
}

TEST(SharedEngines, APairBetweenConvAndAddIsFoundInSixteenKernels) {
  ENGINE_OR_SKIP(report, "lix-dmt-fp16/layers_tofp16.json", "lix-dmt-fp16/profile_tofp16.json");
  EXPECT_EQ(std::ranges::count_if(report.layers,
                                  [](const auto& layer) {
                                    return layer.cause.starts_with("a pair on a Conv output in front of an Add");
                                  }),
            16);
  EXPECT_EQ(report.summary.unexplained, 0);
}

TEST(SharedEngines, NamesAloneTellOfTwelveQuantizersAndOfTheBlockBehindTheHeads) {
  ENGINE_OR_SKIP(report, "trex-notebook-int8-yolo/layer_info.json", "trex-notebook-int8-yolo/profile.json");
  EXPECT_EQ(report.form, "names");
  EXPECT_EQ(report.summary.standalone_quantize, 12U);
  EXPECT_LT(report.summary.unexplained, 0.01);
  EXPECT_EQ(report.advice.at(0).finding, "block");
}

TEST(SharedEngines, ConvNextPaysForPairsOfEighteenConvsWithoutKernel) {
  ENGINE_OR_SKIP(report, "detent-convnext_tiny-trt10.6/layers.json", "");
  const auto& first = report.advice.at(0);
  EXPECT_EQ(first.finding, "no_int8_kernel");
  EXPECT_EQ(first.layers, 54U) << "a quantizer, a dequantizer and a Scale of weights for each";
  EXPECT_THAT(first.cure,
              HasSubstr("--exclude '^/features/features.[0-9]+/features.[0-9]+.[0-9]+/block/block.0/Conv$'"));
  EXPECT_EQ(
      std::ranges::count_if(
          report.layers, [](const auto& layer) { return layer.kind == "layer" && layer.finding == "no_int8_kernel"; }),
      18);
  for (const auto& layer : report.layers) {
    if (layer.finding != "no_int8_kernel") continue;
    EXPECT_THAT(layer.cure, ::testing::Not(HasSubstr("--include")));
  }
  EXPECT_EQ(report.summary.unexplained, 0);
}

TEST(SharedEngines, DenseNetCopiesPartsThatLieInAnotherJointTensor) {
  ENGINE_OR_SKIP(report, "detent-densenet121-trt10.6/layers.json", "");
  EXPECT_EQ(report.advice.at(0).finding, "concat_copy");
  EXPECT_EQ(report.advice.at(0).layers, 532U);
  EXPECT_TRUE(report.advice.at(0).bytes);
  EXPECT_EQ(std::ranges::count_if(report.layers,
                                  [](const auto& layer) {
                                    return layer.cause.find("the joint tensor of another Concat") != std::string::npos;
                                  }),
            532);
}

TEST(SharedEngines, TheLogOfThatBuildTellsTheTypesToo) {
  ENGINE_OR_SKIP(report, "trex-notebook-int8-yolo/trt.cut.out", "trex-notebook-int8-yolo/profile.json");
  EXPECT_EQ(report.form, "log");
  EXPECT_EQ(report.layers.size(), 86U);
  EXPECT_EQ(report.summary.standalone_quantize, 12U);
  EXPECT_GT(report.summary.fp32, 0.3);
}

TEST(SharedEngines, AllOthersAreExplainedWithoutARest) {
  for (const char* layers :
       {"centerpoint-rpn-fp16/rpn_centerhead_sim.8503.cut.log", "cookbook-dynquant-fp8/log-main.py.log",
        "cookbook-mnist-trt10.14.1/model-trained-exportLayerInfo.json",
        "fuzzy-torchtrt-resnet18-fp16/trt_engine_info.json",
        "fuzzy-trtexec-mobilenet_v2-fp16/mobilenet_v2_fp16.graph.json",
        "fuzzy-trtexec-resnet18-fp16/resnet18_fp16.graph.json",
        "trex-tf-resnet-3090-fp16/resnet.onnx.engine.graph.json", "trt2023-d6f4129/layerinfo.json",
        "trex-pt-resnet18-A100-fp32/resnet.onnx.engine.graph.json"}) {
    ENGINE_OR_SKIP(report, layers, "");
    EXPECT_EQ(report.summary.unexplained, 0) << layers;
    EXPECT_EQ(report.summary.int8, 0) << layers;
  }
}

/// The predictions for an engine, and its numbers.
struct Expected {
  size_t layers = 0;  ///< weighted
  size_t outputs = 0;
  size_t quantizers = 0;
  size_t fusions = 0;  ///< that the engine's file names
  size_t places = 0, reformats = 0, elsewhere = 0;
  size_t copies = 0;
};

/// Expects all predictions for an engine to be right, and reformats at the predicted places.
void expect_right(const std::string& engine, const Model& model, const Expected& expected) {
  ExplainOptions options;
  options.layers = shared_folder() / "engines" / engine;
  if (!fs::exists(options.layers)) GTEST_SKIP() << "no folder of engines";
  const TemporaryFolder folder;
  options.model = folder / "model.onnx";
  write_model(model, options.model);
  const ExplainReport report = explain_engine(options);
  ASSERT_TRUE(report.predictions);
  const auto& predictions = *report.predictions;
  EXPECT_EQ(predictions.layers, expected.layers) << engine;
  EXPECT_EQ(predictions.right, expected.layers) << engine;
  EXPECT_THAT(predictions.missing, ::testing::IsEmpty()) << engine;
  EXPECT_EQ(predictions.outputs, expected.outputs) << engine;
  EXPECT_EQ(predictions.outputs_right, expected.outputs) << engine;
  EXPECT_EQ(predictions.quantizers, expected.quantizers) << engine;
  EXPECT_EQ(predictions.quantizers_right, expected.quantizers) << engine;
  for (const auto& layer : report.layers) EXPECT_TRUE(layer.right) << layer.name;
  EXPECT_EQ(predictions.fusions.size(), expected.fusions) << engine;
  for (const auto& fusion : predictions.fusions) EXPECT_TRUE(fusion.right) << fusion.node;
  EXPECT_EQ(predictions.reformat_places.size(), expected.places) << engine;
  size_t reformats = 0;
  for (const auto& place : predictions.reformat_places) {
    EXPECT_LE(place.reformats, 1U) << place.node;
    reformats += place.reformats;
  }
  EXPECT_EQ(reformats, expected.reformats) << engine;
  EXPECT_EQ(predictions.reformats_elsewhere, expected.elsewhere) << engine;
  EXPECT_EQ(predictions.copies.size(), expected.copies) << engine;
  for (const auto& copy : predictions.copies) EXPECT_TRUE(copy.right) << copy.value;
}

using ResNet18 = test::ResNet18Pairs;

TEST(SharedEngines, PredictionsForResnetWithFloatShortcutsAreRight) {
  expect_right(kResnet + "qat/resnet-qat.onnx.engine.graph.json", ResNet18({}).model(),
               {.layers = 21, .outputs = 21, .quantizers = 10, .fusions = 17, .places = 2, .reformats = 2});
}

TEST(SharedEngines, PredictionsForResnetWithPairsOnTheShortcutsAreRight) {
  expect_right(kResnet + "qat-residual/resnet-qat-residual.onnx.engine.graph.json",
               ResNet18({.shortcuts = true}).model(),
               {.layers = 21, .outputs = 21, .quantizers = 3, .fusions = 17, .places = 1});
}

TEST(SharedEngines, PredictionsForResnetWithAPairInFrontOfThePoolAreRight) {
  expect_right(kResnet + "qat-residual-qgap/resnet-qat-residual-qgap.onnx.engine.graph.json",
               ResNet18({.shortcuts = true, .pool = true}).model(),
               {.layers = 21, .outputs = 21, .quantizers = 1, .fusions = 17});
}

TEST(SharedEngines, PredictionsForMobilenetAreRight) {
  expect_right("trex-mobilenet-qat/mobilenet.qat.onnx.engine.graph.json", test::MobileNetV2Pairs({}).model(),
               {.layers = 53, .outputs = 53, .quantizers = 17, .fusions = 45, .places = 1, .reformats = 1});
}

TEST(SharedEngines, PredictionsForResnetWithoutPairsAreRight) {
  expect_right(kResnet + "fp16/resnet.onnx.engine.graph.json", ResNet18({.none = true}).model(),
               {.layers = 21, .fusions = 26, .places = 2, .reformats = 2});
  // In FP32 kernels read rows and channels as the builder likes: one reformat behind the pool, none at the borders.
  expect_right(kResnet + "fp32/resnet.onnx.engine.graph.json", ResNet18({.none = true}).model(),
               {.layers = 21, .fusions = 26, .places = 2, .elsewhere = 1});
}

TEST(SharedEngines, PredictionsForTheDetectorAreRight) {
  // Three reformats change INT8 of 4 channels to 32 behind quantizers of float shortcuts: the builder's choice.
  expect_right("trex-notebook-int8-yolo/trt.cut.out", test::DetectorPairs().model(),
               {.layers = 43,
                .outputs = 43,
                .quantizers = 12,
                .fusions = 37,
                .places = 1,
                .reformats = 1,
                .elsewhere = 3,
                .copies = 2});
}

TEST(SharedEngines, PredictionsForAnotherPlacementAreWrong) {
  if (!fs::exists(shared_folder() / "engines")) GTEST_SKIP() << "no folder of engines";
  const TemporaryFolder folder;
  ExplainOptions options;
  options.layers = shared_folder() / "engines" / (kResnet + "qat/resnet-qat.onnx.engine.graph.json");
  options.model = folder / "model.onnx";
  write_model(ResNet18({.shortcuts = true}).model(), options.model);
  const auto predictions = explain_engine(options).predictions;
  ASSERT_TRUE(predictions);
  EXPECT_EQ(predictions->quantizers, 3U);
  EXPECT_EQ(predictions->quantizers_right, 1U) << "that of the input";
  const auto pool = std::ranges::find(predictions->fusions, "MaxPool_12", &ExplainReport::Predictions::Fusion::node);
  ASSERT_NE(pool, predictions->fusions.end());
  EXPECT_TRUE(pool->fused);
  EXPECT_FALSE(pool->right) << "with float shortcuts the pool is a layer by itself";
}

}  // namespace
}  // namespace detent
