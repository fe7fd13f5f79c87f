#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/same_tensor.h"
#include "pipeline/trained_block.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(RepairModel, TakesThePairInFrontOfTheAddAwayAndPutsTheShortcutOnItsPair) {
  const RepairReport report = repair_model(options(trained()));
  EXPECT_THAT(of_action(report, "removed"), Contains("c1"));
  EXPECT_THAT(of_action(report, "added"), Contains("r"));
  EXPECT_THAT(report.lint.findings, IsEmpty());
  EXPECT_GT(report.before.count("error") + report.before.count("warning"), 0U);
  EXPECT_EQ(report.weights_kept, 3U);
}

TEST_F(RepairModel, TakesThePairBetweenABatchNormAndTheAddAway) {
  const RepairReport report = repair_model(options(trained_with_norm(true)));
  ASSERT_EQ(report.before.findings.size(), 1U);
  EXPECT_EQ(report.before.findings.front().id, "pair-between-conv-and-add");
  EXPECT_THAT(of_action(report, "removed"), Contains("b1"));
  EXPECT_THAT(report.lint.findings, IsEmpty());
}

TEST_F(RepairModel, LeavesABatchNormBetweenConvAndAddWhereTheShortcutHasThePair) {
  const RepairReport report = repair_model(options(trained_with_norm(false)));
  EXPECT_THAT(report.before.findings, IsEmpty());
  EXPECT_FALSE(report.changed);
}

TEST_F(RepairModel, KeepsScalesAndCodesBitForBit) {
  static_cast<void>(repair_model(options(trained())));
  const Model model = read_model(folder_ / "out.onnx");
  const Graph& graph = model.graph();
  const auto before = parse_model_text(trained());
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "QuantizeLinear") continue;
    const std::string& value = graph.value(*node.input(0)).name;
    const float scale = graph.constant(node.input(1))->data<float>()[0];
    EXPECT_EQ(scale, value == "x" ? 0.03F : value == "r" ? 0.05F : 0.06F) << value;
  }
  const Tensor& codes = *before.graph().constant(*before.graph().find_value("w"));
  size_t same = 0;
  for (const Node& node : graph.nodes()) {
    const Tensor* kept = node.op_type == "DequantizeLinear" ? graph.constant(node.input(0)) : nullptr;
    if (kept && std::ranges::equal(kept->data<int8_t>(), codes.data<int8_t>())) ++same;
  }
  EXPECT_GE(same, 1U);
}

TEST_F(RepairModel, ChangesNothingTheSecondTime) {
  const RepairOptions first = options(trained());
  static_cast<void>(repair_model(first));
  const RepairReport second = repair_model(again(first));
  EXPECT_FALSE(second.changed);
  EXPECT_EQ(bytes_of("out.onnx"), bytes_of("again.onnx"));
}

TEST_F(RepairModel, ChangesNothingTheSecondTimeWhereAPairWritesAnOutput) {
  std::string text = trained();
  const std::string last = "y = Conv <pads = [1,1,1,1]> (td, wd)";
  text.replace(
      text.find(last), last.size(),
      "o = Conv <pads = [1,1,1,1]> (td, wd)  oq = QuantizeLinear (o, sc, z)  y = DequantizeLinear (oq, sc, z)");
  for (const char* target : {"tensorrt", "qnn"}) {
    RepairOptions first = options(text, target);
    first.data = samples();
    static_cast<void>(repair_model(first));
    const RepairReport second = repair_model(again(first));
    EXPECT_FALSE(second.changed) << target;
    EXPECT_EQ(bytes_of("out.onnx"), bytes_of("again.onnx")) << target;
    std::filesystem::remove(folder_ / "again.onnx");
    const Model repaired = read_model(folder_ / "out.onnx");
    EXPECT_TRUE(std::ranges::none_of(repaired.graph().nodes(), [](const Node& n) { return n.op_type == "Identity"; }));
  }
}

TEST_F(RepairModel, WithDataALayerWhoseWeightAloneHasAPairIsInt8) {
  std::string text = trained();
  const std::string pair = "rq = QuantizeLinear (r, sa, z)  rd = DequantizeLinear (rq, sa, z)";
  text.replace(text.find(pair), pair.size(), "");
  text.replace(text.find("(rd, wd)"), 8, "(r, wd)");
  RepairOptions given = options(text, "openvino");
  const auto int8_layers = [&](const std::string& output) {
    given.output = folder_ / output;
    return repair_model(given).lint.plan.coverage.int8_layers;
  };
  EXPECT_EQ(int8_layers("without.onnx"), 2U);
  given.data = samples();
  EXPECT_EQ(int8_layers("with.onnx"), 3U);
}

TEST_F(RepairModel, WithDataALayerThatIsFloatInTheFileIsInt8ForAnEngineWithoutFloatLayers) {
  std::string text = trained(), weights;
  for (int i = 0; i < 256; ++i) weights += (i ? ", 0." : "0.") + std::to_string(10 + i * 71 % 89);
  text.replace(text.find("float sx"), 0, "float[16,16,1,1] k = {" + weights + "}, ");
  const std::string last = "y = Conv <pads = [1,1,1,1]> (td, wd)";
  text.replace(text.find(last), last.size(), "e = Conv (t, k)  v = Relu (e)  y = Conv (v, k)");
  for (const auto& [target, layers] : {std::pair{"qnn", 4U}, std::pair{"tensorrt", 2U}}) {
    RepairOptions given = options(text, target);
    given.data = samples();
    EXPECT_EQ(repair_model(given).lint.plan.coverage.int8_layers, layers) << target;
    const RepairReport second = repair_model(again(given));
    EXPECT_FALSE(second.changed) << target;
    std::filesystem::remove(folder_ / "again.onnx");
  }
}

TEST_F(RepairModel, KeepsThePairAtAnOutputThatAnIntegerLayerNeeds) {
  std::string text = trained();
  const std::string last = "y = Conv <pads = [1,1,1,1]> (td, wd)";
  text.replace(
      text.find(last), last.size(),
      "o = Conv <pads = [1,1,1,1]> (td, wd)  oq = QuantizeLinear (o, sc, z)  y = DequantizeLinear (oq, sc, z)");
  RepairOptions first = options(text, "onnxruntime");
  first.data = samples();
  const RepairReport report = repair_model(first);
  EXPECT_EQ(report.lint.plan.coverage.int8_layers, report.lint.plan.coverage.layers);
  EXPECT_FALSE(repair_model(again(first)).changed);
}

/// A MatMul for HTP, whose weight stands for `numbers`: a declaration of its codes w, scale ws and zero point wz.
std::string product_of(const std::string& numbers, const std::string& axis) {
  return R"(<ir_version: 8, opset_import: ["" : 17]> g (float[1,16,8,8] x) => (float[1,16,8,2] y)
<float s = {0.02}, uint8 z = {128}, float t = {0.1}, )" +
         numbers + R"(> {
  xq = QuantizeLinear (x, s, z)  xd = DequantizeLinear (xq, s, z)
  wd = DequantizeLinear )" +
         axis + R"( (w, ws, wz)
  p = MatMul (xd, wd)
  pq = QuantizeLinear (p, t, z)  y = DequantizeLinear (pq, t, z) })";
}

TEST_F(RepairModel, ChangesNothingTheSecondTimeWhereAWeightGotAZeroPoint) {
  RepairOptions first = options(product_of("int8[8,2] w = {90, -3, 8, 5, 60, 1, 2, 9, -7, 4, 1, 2, 3, 100, 40, 33}, "
                                           "float[2] ws = {0.01, 0.02}, int8[2] wz = {0, 0}",
                                           "<axis = 1>"),
                                "qnn");
  first.data = samples();
  EXPECT_THAT(repair_model(first).weights_anew, testing::ElementsAre(testing::HasSubstr("one scale")));
  const RepairReport second = repair_model(again(first));
  EXPECT_FALSE(second.changed);
  EXPECT_EQ(second.weights_kept, 1U);
  EXPECT_EQ(bytes_of("out.onnx"), bytes_of("again.onnx"));
}

TEST_F(RepairModel, KeepsCodesAroundAnyZeroPointForHtp) {
  // The codes leave out 0 and 255: a grid computed from the numbers would be finer.
  const std::string codes = "90, 3, 8, 5, 60, 1, 2, 9, 7, 4, 1, 2, 3, 100, 40, 33";
  RepairOptions given =
      options(product_of("uint8[8,2] w = {" + codes + "}, float ws = {0.01}, uint8 wz = {17}", ""), "qnn");
  given.data = samples();
  EXPECT_EQ(repair_model(given).weights_kept, 1U);
  const Model repaired = read_model(folder_ / "out.onnx");
  const Graph& graph = repaired.graph();
  const auto product = std::ranges::find(graph.nodes(), "MatMul", &Node::op_type);
  const Node& weight = *graph.producer(product->input(1));
  EXPECT_EQ(graph.constant(weight.input(0))->data<uint8_t>()[0], 90);
  EXPECT_EQ(graph.constant(weight.input(1))->data<float>()[0], 0.01F);
  EXPECT_EQ(graph.constant(weight.input(2))->data<uint8_t>()[0], 17);
}

// tf2onnx folds the pair of a weight into the constant.
TEST_F(RepairModel, TakesWeightsThatLieOnAGridForInt8) {
  std::string text = trained();
  const std::string pair = "  wd = DequantizeLinear <axis = 0> (w, ws, wz)\n";
  text.replace(text.find(pair), pair.size(), "");
  const auto with_weights = [&](float off) {
    std::string numbers;
    for (int i = 0; i < 256 * 9; ++i)
      numbers += (i ? ", " : "") +
                 std::to_string((i * 71 % 255 - 127) * 0.001 * (11 + (i - i % 144) / 144.0) + (i == 5 ? off : 0));
    std::string all = text;
    return all.replace(all.find("int8 z = {0}"), 12, "float[16,16,3,3] wd = {" + numbers + "}, int8 z = {0}");
  };
  const RepairReport grid = repair_model(options(with_weights(0)));
  EXPECT_EQ(grid.weights_kept, 3U);
  EXPECT_THAT(of_action(grid, "kept"), Contains("x"));
  const RepairReport other = repair_model(options(with_weights(0.0004F)));
  EXPECT_EQ(other.weights_kept, 0U) << "float in the file";
  EXPECT_THAT(of_action(other, "removed"), Contains("x"));
}

TEST_F(RepairModel, NamesValuesWithoutAScaleWhereThereIsNoData) {
  std::string text = trained();
  const std::string pair = "  cq = QuantizeLinear (c1, sb, z)  cd = DequantizeLinear (cq, sb, z)\n";
  text.replace(text.find(pair), pair.size(), "");
  text.replace(text.find("(cd, r)"), 7, "(c1, r)");
  RepairOptions given = options(text, "onnxruntime");  // needs a pair behind every integer Conv
  try {
    static_cast<void>(repair_model(given));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    EXPECT_THAT(error.what(), HasSubstr("no scale in the file: 'c1'"));
  }
  given.data = samples();
  const RepairReport report = repair_model(given);
  EXPECT_THAT(of_action(report, "added"), Contains("c1"));
  EXPECT_TRUE(report.error.has_value());
}

TEST_F(RepairModel, KeepsWeightsInBlocksByteForByte) {
  std::string text = trained();
  text.replace(text.find(": 13]"), 5, ": 21]");
  text.replace(text.find("float[1,16,8,8] y)"), 18, "float[1,16,8,8] y, float[1,16,8,2] m)");
  text.replace(text.find("<float sx"), 9,
               "<int8[8,2] b = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}, float[4,2] bs = {1,2,3,4,5,6,7,8}, float sx");
  text.replace(text.rfind('}'), 1, "  bd = DequantizeLinear <axis = 0, block_size = 2> (b, bs)  m = MatMul (t, bd) }");
  const RepairOptions first = options(text);
  EXPECT_TRUE(repair_model(first).changed);
  const Model model = read_model(folder_ / "out.onnx");
  const auto before = parse_model_text(text);
  for (const char* name : {"b", "bs"}) {
    const Tensor *is = model.graph().constant(*model.graph().find_value(name)),
                 *was = before.graph().constant(*before.graph().find_value(name));
    ASSERT_TRUE(is) << name;
    EXPECT_TRUE(same_tensor(*is, *was)) << name;
  }
  EXPECT_FALSE(repair_model(again(first)).changed);
}

TEST_F(RepairModel, RefusesFilesWhereOnlyWeightsHavePairs) {
  try {
    static_cast<void>(repair_model(options(R"(<ir_version: 10, opset_import: ["" : 21]>
g (float[1,4] x) => (float[1,2] y)
<int8[4,2] b = {1,2,3,4,5,6,7,8}, float[2,2] bs = {1,2,3,4}>
{ bd = DequantizeLinear <axis = 0, block_size = 2> (b, bs)  y = MatMul (x, bd) })")));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
    EXPECT_THAT(error.what(), HasSubstr("weights alone: their layers compute in float"));
  }
}

TEST_F(RepairModel, NamesTheIntegerOperatorsOfAFile) {
  try {
    static_cast<void>(repair_model(options(R"(<ir_version: 8, opset_import: ["" : 13]>
g (uint8[1,2] x, uint8[2,2] w) => (int32[1,2] y) { y = MatMulInteger (x, w) })")));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds integer operators (1 MatMulInteger), but repair"));
  }
}

TEST_F(RepairModel, NeedsSamplesForATask) {
  RepairOptions given = options(trained());
  given.evaluation.next_token = true;
  try {
    static_cast<void>(repair_model(given));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Usage);
    EXPECT_THAT(error.what(), HasSubstr("need --eval"));
  }
}

TEST_F(RepairModel, RefusesFilesWithoutPairsOfInt8) {
  const RepairOptions given = options(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,1] x) => (float[1,1] y) { y = Relu (x) })");
  try {
    static_cast<void>(repair_model(given));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  }
}

}  // namespace
}  // namespace detent
