#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "core/same_tensor.h"
#include "datasets/base/npy_writer.h"
#include "detent/detent.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns codes, scales and zero points of a weight of 16 channels.
std::string weight(int kernel) {
  const auto listed = [](int count, const auto& number) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? ", " : "") + number(i);
    return "{" + text + "}";
  };
  const std::string size = std::to_string(kernel);
  return "int8[16,16," + size + "," + size +
         "] w = " + listed(256 * kernel * kernel, [](int i) { return std::to_string(i * 71 % 255 - 127); }) +
         ", float[16] ws = " + listed(16, [](int i) { return "0.00" + std::to_string(11 + i); }) +
         ", int8[16] wz = " + listed(16, [](int) { return std::string("0"); });
}

/// A block as quantization-aware training leaves it: pairs on the inputs of Convs, one on the output of the Conv in
/// front of the Add (the wrong edge), none on the shortcut.
std::string trained() {
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y)
<float sx = {0.03}, float sa = {0.05}, float sb = {0.07}, float sc = {0.06}, int8 z = {0},
 )" + weight(3) +
         R"(>
{
  xq = QuantizeLinear (x, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c0 = Conv <pads = [1,1,1,1]> (xd, wd)
  r = Relu (c0)
  rq = QuantizeLinear (r, sa, z)  rd = DequantizeLinear (rq, sa, z)
  c1 = Conv <pads = [1,1,1,1]> (rd, wd)
  cq = QuantizeLinear (c1, sb, z)  cd = DequantizeLinear (cq, sb, z)
  s = Add (cd, r)
  t = Relu (s)
  tq = QuantizeLinear (t, sc, z)  td = DequantizeLinear (tq, sc, z)
  y = Conv <pads = [1,1,1,1]> (td, wd)
})";
}

/// The same block with a BatchNormalization behind the second Conv, and the shortcut on its pair. `paired`: the pair in
/// front of the Add is there too.
std::string trained_with_norm(bool paired) {
  std::string text = trained();
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("float sx", "float[16] n = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, float sx");
  const std::string norm = "  b1 = BatchNormalization (c1, n, n, n, n)\n";
  if (paired)
    replace("  cq = QuantizeLinear (c1,", norm + "  cq = QuantizeLinear (b1,");
  else
    replace("  cq = QuantizeLinear (c1, sb, z)  cd = DequantizeLinear (cq, sb, z)\n", norm);
  replace("(cd, r)", paired ? "(cd, rd)" : "(b1, rd)");
  return text;
}

class RepairModel : public ::testing::Test {
 protected:
  [[nodiscard]] RepairOptions options(const std::string& text, const std::string& target = "tensorrt") const {
    return options(parse_model_text(text), target);
  }
  [[nodiscard]] RepairOptions options(const Model& model, const std::string& target = "tensorrt") const {
    std::filesystem::remove(folder_ / "in.onnx");
    write_model(model, folder_ / "in.onnx");
    RepairOptions options;
    options.model = folder_ / "in.onnx", options.output = folder_ / "out.onnx", options.target = target;
    options.overwrite = true;
    return options;
  }
  [[nodiscard]] RepairOptions again(RepairOptions options) const {
    options.model = folder_ / "out.onnx", options.output = folder_ / "again.onnx", options.data = {};
    return options;
  }
  [[nodiscard]] DataOptions samples() const {
    std::filesystem::create_directories(folder_ / "x");
    for (int i = 0; i < 4; ++i) {
      Tensor sample(DataType::Float32, Shape{1, 16, 8, 8});
      for (size_t e = 0; e < 1024; ++e)
        sample.mutable_data<float>()[e] = static_cast<float>((e * 37 + static_cast<size_t>(i) * 11) % 200) / 40 - 2;
      write_npy(folder_ / "x" / ("s" + std::to_string(i) + ".npy"), sample);
    }
    DataOptions data;
    data.sources = {(folder_ / "x").string()};
    return data;
  }
  /// Returns the folder of one condition for each of samples().
  [[nodiscard]] std::string condition() const {
    std::filesystem::create_directories(folder_ / "k");
    for (int i = 0; i < 4; ++i) {
      Tensor sample(DataType::Bool, Shape{});
      sample.mutable_data<bool>()[0] = i % 2 > 0;
      write_npy(folder_ / "k" / ("s" + std::to_string(i) + ".npy"), sample);
    }
    return (folder_ / "k").string();
  }
  static std::vector<std::string> of_action(const RepairReport& report, const std::string& action) {
    std::vector<std::string> values;
    for (const auto& pair : report.pairs)
      if (pair.action == action) values.push_back(pair.value);
    return values;
  }
  [[nodiscard]] std::string bytes_of(const char* name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder_;
};

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

/// A MatMul between pairs, with a square weight whose scales stand along an axis. The rows differ in size.
std::string square_product(int axis) {
  const auto listed = [](int count, const auto& number) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(number(i));
    return "{" + text + "}";
  };
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y)
<float sx = {0.03}, int8 z = {0}, int64[3] flat = {1, 64, 16}, int64[4] whole = {1, 16, 8, 8},
 int8[16,16] w = )" +
         listed(256, [](int i) { return i * 71 % 255 - 127; }) +
         ", float[16] ws = " + listed(16, [](int i) { return 0.001F * static_cast<float>(1 << i % 8); }) +
         ", int8[16] wz = " + listed(16, [](int) { return 0; }) + R"(>
{
  xr = Reshape (x, flat)
  xq = QuantizeLinear (xr, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = )" +
         std::to_string(axis) + R"(> (w, ws, wz)
  m = MatMul (xd, wd)
  y = Reshape (m, whole)
})";
}

/// Returns the network with the first number of a constant of floats changed.
Model with_first(const std::string& text, const std::string& constant, float number) {
  Model model = parse_model_text(text);
  Tensor changed = cast(*model.graph().constant(*model.graph().find_value(constant)), DataType::Float64);
  changed.mutable_data<double>()[0] = static_cast<double>(number);
  GraphPatch patch;
  patch.reason = "change a number";
  patch.replace_constants.emplace_back(constant, cast(changed, DataType::Float32));
  apply_patch(model, patch);
  return model;
}

TEST_F(RepairModel, GivesNewScalesToWeightsThatHaveThemAlongAnotherAxis) {
  for (const char* target : {"tensorrt", "tensorrt:8.6", "tensorrt:11", "onnxruntime", "openvino"}) {
    RepairOptions given = options(square_product(0), target);
    given.data = samples();
    const RepairReport report = repair_model(given);
    EXPECT_THAT(report.weights_anew, Contains(HasSubstr("its scales stand along another axis"))) << target;
    EXPECT_GT(report.before.count("error"), 0U) << target;
    EXPECT_EQ(report.lint.count("error"), 0U) << target;
    // A row of a 127th of the largest loses its codes: the largest rows, of which most of the output comes, keep 7
    // bits.
    EXPECT_GT(report.error->sqnr_db.value(), 35) << target;
    EXPECT_FALSE(repair_model(again(given)).changed) << target;
  }
}

TEST_F(RepairModel, KeepsTheScalesOfWeightsAlongTheChannels) {
  for (const char* target : {"tensorrt", "onnxruntime"})
    EXPECT_EQ(repair_model(options(square_product(1), target)).weights_kept, 1U) << target;
}

TEST_F(RepairModel, MeasuresWhatHasAScaleThatIsNone) {
  const float infinite = std::numeric_limits<float>::infinity();
  for (const float scale : {0.0F, -0.05F, std::nanf(""), infinite}) {
    RepairOptions given = options(with_first(trained(), "sa", scale));
    try {
      static_cast<void>(repair_model(given));
      ADD_FAILURE() << "no error for " << scale;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidOption) << scale;
      EXPECT_THAT(error.what(), HasSubstr("no scale in the file: 'r'")) << scale;
    }
    given.data = samples();
    const RepairReport report = repair_model(given);
    EXPECT_THAT(of_action(report, "added"), Contains("r")) << scale;
    EXPECT_THAT(of_action(report, "kept"), Contains("x")) << scale;
    EXPECT_THAT(report.lint.findings, IsEmpty()) << scale;
  }
}

TEST_F(RepairModel, GivesNewScalesToChannelsOfWeightsWithoutOneAndKeepsTheOthers) {
  for (const char* target : {"tensorrt", "tensorrt:8.6", "onnxruntime", "openvino"}) {
    RepairOptions given = options(with_first(square_product(1), "ws", 0), target);
    given.data = samples();
    const RepairReport report = repair_model(given);
    EXPECT_THAT(report.weights_anew, Contains(HasSubstr("scale 0 in channel 0"))) << target;
    EXPECT_EQ(report.lint.count("error"), 0U) << target;
    EXPECT_GT(report.error->sqnr_db.value_or(300), 100) << target << ": the channel is 0, all others keep their codes";
  }
}

TEST_F(RepairModel, NamesTheCodesWhoseScaleIsNoNumber) {
  try {
    static_cast<void>(repair_model(options(with_first(square_product(1), "ws", std::nanf("")))));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
    EXPECT_THAT(error.what(), HasSubstr("its scale 'ws' of channel 0 is nan"));
  }
}

/// v has a pair, a has none; a pair stands behind the Concat of both.
std::string joined(const std::string& small, const std::string& large) {
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y)
<float sx = {0.03}, float sv = {)" +
         small + "}, float sc = {" + large +
         R"(}, int8 z = {0}, int64[1] from = {0}, int64[1] to = {16}, int64[1] c = {1},
 )" + weight(1) +
         R"(>
{
  xq = QuantizeLinear (x, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c0 = Conv (xd, wd)  v = Relu (c0)
  vq = QuantizeLinear (v, sv, z)  vd = DequantizeLinear (vq, sv, z)
  c1 = Conv (vd, wd)  a = Relu (c1)
  j = Concat <axis = 2> (v, a)
  jq = QuantizeLinear (j, sc, z)  jd = DequantizeLinear (jq, sc, z)
  o = Conv (jd, wd)
  s = Slice (o, from, to, c)
  y = AveragePool <kernel_shape = [2, 1], strides = [2, 1]> (s)
})";
}

TEST_F(RepairModel, KeepsTheScalesOfSmallValuesApartAtAConcat) {
  EXPECT_FALSE(repair_model(options(joined("0.05", "0.45"))).changed) << "a ninth";
  const RepairReport report = repair_model(options(joined("0.05", "0.35")));
  EXPECT_THAT(of_action(report, "moved"), Contains("v")) << "a seventh";
}

TEST_F(RepairModel, GivesTheTrainedScaleBehindAConcatToEachOfItsInputs) {
  RepairOptions given = options(joined("0.05", "0.45"), "openvino:gpu");
  given.data = samples();
  const RepairReport report = repair_model(given);
  const auto of = [&](const std::string& value) {
    return *std::ranges::find(report.pairs, value, &RepairReport::Pair::value);
  };
  EXPECT_EQ(of("a").moved_from, "j");
  EXPECT_EQ(of("v").action, "kept") << "its own";
  EXPECT_THAT(of_action(report, "removed"), IsEmpty());
  given.target = "openvino";
  const RepairReport shared = repair_model(given);
  const auto v = std::ranges::find(shared.pairs, "v", &RepairReport::Pair::value);
  EXPECT_THAT(v->reason, HasSubstr("it takes the wider scale of a value that it shares one with"));
}

/// A Concat of v, which has a pair of the type, and of the negative and positive numbers of a Conv, which has none.
std::string beside_negative(const std::string& type) {
  std::string codes;
  for (int i = 0; i < 128; ++i) codes += (i ? ", " : "") + std::to_string(i * 37 % 255 - 127);
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,4] y)
<float sx = {0.03}, float sv = {0.05}, int8 z = {0}, )" +
         type + " zv = {0}, int8[4,32] k = {" + codes + "}, " + weight(1) + R"(>
{
  xq = QuantizeLinear (x, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c0 = Conv (xd, wd)  v = Relu (c0)
  vq = QuantizeLinear (v, sv, zv)  vd = DequantizeLinear (vq, sv, zv)
  a = Conv (vd, wd)
  j = Concat <axis = 1> (v, a)
  p = GlobalAveragePool (j)  f = Flatten (p)
  fq = QuantizeLinear (f, sv, z)  fd = DequantizeLinear (fq, sv, z)
  kd = DequantizeLinear (k, sx, z)
  y = Gemm <transB = 1> (fd, kd)
})";
}

TEST_F(RepairModel, ASharedScaleHoldsNegativeNumbersOfAValueWithoutAPair) {
  for (const char* type : {"int8", "uint8"}) {
    RepairOptions given = options(beside_negative(type), "openvino");
    given.data = samples();
    const RepairReport report = repair_model(given);
    const Model repaired = read_model(folder_ / "out.onnx");
    for (const Node& node : repaired.graph().nodes()) {
      if (node.op_type != "QuantizeLinear" || repaired.graph().value(*node.input(0)).name != "a") continue;
      EXPECT_GT(repaired.graph().constant(node.input(2))->data<uint8_t>()[0], 0) << type << ": codes below 0";
    }
    EXPECT_FALSE(repair_model(again(given)).changed) << type;
    std::filesystem::remove(folder_ / "again.onnx");
  }
}

TEST_F(RepairModel, NamesAValueWhoseNegativeNumbersASharedScaleWouldCut) {
  try {
    static_cast<void>(repair_model(options(beside_negative("uint8"), "openvino")));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    EXPECT_THAT(error.what(), HasSubstr("'a'"));
  }
}

TEST_F(RepairModel, PutsAReluBackWhereAPairDoesItsWork) {
  // onnxruntime.quantization took the Relu between the Convs out: the codes begin at 0.
  RepairOptions given = options(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y)
<float sx = {0.03}, float sa = {0.05}, uint8 m = {128}, uint8 z = {0},
 )" + weight(1) + R"(>
{
  xq = QuantizeLinear (x, sx, m)  xd = DequantizeLinear (xq, sx, m)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c = Conv (xd, wd)
  cq = QuantizeLinear (c, sa, z)  cd = DequantizeLinear (cq, sa, z)
  y = Conv (cd, wd)
})");
  given.data = samples();
  const RepairReport report = repair_model(given);
  const Model model = read_model(folder_ / "out.onnx");
  EXPECT_EQ(std::ranges::count(model.graph().nodes(), "Relu", &Node::op_type), 1);
  EXPECT_GT(report.error->sqnr_db.value(), 20);  // without the Relu below 3
}

TEST_F(RepairModel, ChangesNothingTheSecondTimeWhereAReluStandsBehindCopies) {
  // The pair behind the Reshape cuts at 0. Its range goes in front of the pooling too, whose pair then cuts itself.
  RepairOptions given = options(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,1,1] y)
<float sx = {0.03}, float sa = {0.02}, uint8 m = {128}, uint8 z = {0}, int64[4] same = {1, 16, 1, 1},
 )" + weight(1) + R"(>
{
  xq = QuantizeLinear (x, sx, m)  xd = DequantizeLinear (xq, sx, m)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  p = GlobalAveragePool (xd)  f = Reshape (p, same)
  fq = QuantizeLinear (f, sa, z)  fd = DequantizeLinear (fq, sa, z)
  c = Conv (fd, wd)
  cq = QuantizeLinear (c, sa, m)  cd = DequantizeLinear (cq, sa, m)
  y = Conv (cd, wd)
})",
                                "onnxruntime");
  given.data = samples();
  EXPECT_TRUE(repair_model(given).changed);
  EXPECT_FALSE(repair_model(again(given)).changed);
  EXPECT_EQ(bytes_of("out.onnx"), bytes_of("again.onnx"));
}

TEST_F(RepairModel, PutsAReluBackInFrontOfAGraphOutput) {
  // UINT8 around 0: the pair that writes the output cuts negative numbers, also those that another Conv reads.
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y, float[1,16,8,8] u, float[1,16,8,8] v)
<float sx = {0.03}, float sy = {0.01}, uint8 zx = {128}, uint8 z = {0}, )" +
                           weight(1) +
                           R"(>
{
  xq = QuantizeLinear (x, sx, zx)  xd = DequantizeLinear (xq, sx, zx)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c = Conv (xd, wd)
  cq = QuantizeLinear (c, sy, z)  y = DequantizeLinear (cq, sy, z)
  u = Conv (y, wd)
  v = Tanh (c)
})";
  for (const char* target : {"onnxruntime", "openvino", "qnn"}) {
    RepairOptions given = options(text, target);
    given.data = samples();
    EXPECT_GT(repair_model(given).error->sqnr_db.value(), 20) << target;
    const Model model = read_model(folder_ / "out.onnx");
    const Node* tanh = model.graph().producer(model.graph().find_value("v"));
    if (tanh && tanh->op_type == "Tanh") {
      EXPECT_EQ(std::ranges::count(model.graph().nodes(), "Relu", &Node::op_type), 1) << target;
    }
  }
}

TEST_F(RepairModel, TakesAPairThatNothingReadsAway) {
  std::string text = trained();
  text.replace(text.find("  c1 ="), 0, "  unread = DequantizeLinear (rq, sa, z)\n");
  for (const char* target : {"tensorrt", "onnxruntime", "openvino"}) {
    RepairOptions given = options(text, target);
    given.data = samples();
    EXPECT_TRUE(repair_model(given).changed) << target;
    EXPECT_FALSE(read_model(folder_ / "out.onnx").graph().find_value("unread")) << target;
  }
  text.replace(text.find("  c1 ="), 0,
               "  n = Neg (xd)  nq = QuantizeLinear (n, sa, z)  nd = DequantizeLinear (nq, sa, z)\n");
  EXPECT_THAT(of_action(repair_model(options(text)), "removed"), Contains("n"));
}

/// A Conv with a pair of codes from 0 up behind it, which another Conv and the bodies of an If read. One of these has a
/// pair, too, and reads a weight of the main graph.
std::string read_in_bodies() {
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x, bool k) => (float[1,16,8,8] y, float[1,16,8,8] u)
<float sx = {0.03}, float sa = {0.05}, uint8 m = {128}, uint8 z = {0}, int8 i = {0}, )" +
         weight(1) + R"(>
{
  xq = QuantizeLinear (x, sx, m)  xd = DequantizeLinear (xq, sx, m)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c = Conv (xd, wd)
  cq = QuantizeLinear (c, sa, z)  cd = DequantizeLinear (cq, sa, z)
  y = Conv (cd, wd)
  u = If (k) <
    then_branch = low () => (float[1,16,8,8] a) { aq = QuantizeLinear (cd, sa, i)  ad = DequantizeLinear (aq, sa, i)
                                                 a = Conv (ad, wd) },
    else_branch = high () => (float[1,16,8,8] b) { b = Neg (cd) } >
})";
}

TEST_F(RepairModel, LetsABodyReadTheNumbersThatAPairStandsFor) {
  for (const char* target : {"tensorrt", "onnxruntime", "openvino"}) {
    RepairOptions given = options(read_in_bodies(), target);
    given.data = samples();
    given.data.sources = {"x=" + given.data.sources.front(), "k=" + condition()};
    const RepairReport report = repair_model(given);
    EXPECT_TRUE(report.changed) << target;
    EXPECT_GT(report.error->sqnr_db.value(), 20) << target << ": the pair cut numbers below 0";
    const auto is_error = [](const auto& finding) { return finding.level == "error"; };
    EXPECT_TRUE(std::ranges::none_of(report.lint.findings, is_error)) << target;
    EXPECT_FALSE(repair_model(again(given)).changed) << target;
    std::filesystem::remove(folder_ / "again.onnx");
  }
}

/// One head of attention. `paired`: its products read pairs, one in front of a Transpose.
std::string attention(bool paired) {
  const auto operand = [&](const std::string& name) {
    return paired ? name + "q = QuantizeLinear (" + name + ", sq, m)  " + name + "d = DequantizeLinear (" + name +
                        "q, sq, m)  "
                  : name + "d = Identity (" + name + ")  ";
  };
  std::string codes;
  for (int i = 0; i < 256; ++i) codes += (i ? ", " : "") + std::to_string(i * 71 % 255 - 127);
  return R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,16,8,8] x) => (float[1,64,16] y)
<float sx = {0.03}, float sq = {0.05}, float sp = {0.004}, uint8 m = {128}, uint8 z = {0}, float f = {0.25},
 int64[3] rows = {1, 16, 64}, int8[16,16] w = {)" +
         codes + R"(}, float ws = {0.003}, int8 wz = {0}>
{
  r = Reshape (x, rows)  t = Transpose <perm = [0, 2, 1]> (r)
  tq = QuantizeLinear (t, sx, m)  td = DequantizeLinear (tq, sx, m)
  wd = DequantizeLinear (w, ws, wz)
  a = MatMul (td, wd)  b = MatMul (td, wd)  c = MatMul (td, wd)
  aq = QuantizeLinear (a, sq, m)  ad = DequantizeLinear (aq, sq, m)
  )" + operand("b") +
         operand("c") +
         R"(
  k = Transpose <perm = [0, 2, 1]> (bd)
  s = MatMul (ad, k)  g = Mul (s, f)  p = Softmax (g)
  pq = QuantizeLinear (p, sp, z)  pd = DequantizeLinear (pq, sp, z)
  o = MatMul (pd, cd)
  oq = QuantizeLinear (o, sq, m)  od = DequantizeLinear (oq, sq, m)
  y = MatMul (od, wd)
})";
}

TEST_F(RepairModel, KeepsProductsOfTwoActivationsWhosePairsStandInFrontOfCopies) {
  for (const bool paired : {true, false}) {
    RepairOptions given = options(attention(paired), "openvino");
    given.data = samples();
    EXPECT_EQ(std::ranges::count(of_action(repair_model(given), "removed"), "p"), !paired);
    EXPECT_FALSE(repair_model(again(given)).changed) << paired;
    std::filesystem::remove(folder_ / "again.onnx");
  }
}

/// Two Convs with `between` in the middle, from 'r' to 'd', and a Relu in front.
std::string with_codes_between(const std::string& between, const std::string& constants) {
  return R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y)
<float sx = {0.03}, float sa = {0.05}, int8 z = {0}, )" +
         constants + weight(1) + R"(>
{
  xq = QuantizeLinear (x, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c = Conv (xd, wd)
  r = Relu (c)
  )" + between +
         R"(
  y = Conv (d, wd)
})";
}

TEST_F(RepairModel, ReadsWhatStandsBetweenTheHalvesOfAPairAsWithFloats) {
  const std::vector<std::pair<std::string, std::string>> forms{
      {"q = QuantizeLinear (r, sa, z) k = Clip (q, lo, hi) d = DequantizeLinear (k, sa, z)",
       "int8 lo = {0}, int8 hi = {63}, "},
      {"q = QuantizeLinear (r, sa, z) k = Identity (q) d = DequantizeLinear (k, sa, z)", ""},
      {"q = QuantizeLinear (r, sa, z) t = Transpose <perm = [0,2,3,1]> (q) u = Transpose <perm = [0,3,1,2]> (t)"
       " d = DequantizeLinear (u, sa, z)",
       ""},
      {"q = QuantizeLinear (r, sa, z) k = Slice (q, a, b, e) d = DequantizeLinear (k, sa, z)",
       "int64[1] a = {0}, int64[1] b = {4}, int64[1] e = {2}, "},
      {"q = QuantizeLinear (r, sa, z) p, k = Split <axis = 2> (q) j = Concat <axis = 2> (k, p)"
       " d = DequantizeLinear (j, sa, z)",
       ""},
      {"q = QuantizeLinear (r, sa, z) k = Pad (q, pads, z) d = DequantizeLinear (k, sa, z)",
       "int64[8] pads = {0,0,1,1,0,0,1,1}, "},
  };
  for (const auto& [between, constants] : forms)
    for (const char* target : {"tensorrt", "onnxruntime", "openvino"}) {
      RepairOptions given = options(with_codes_between(between, constants), target);
      given.data = samples();
      const RepairReport report = repair_model(given);
      EXPECT_EQ(report.lint.count("error") + report.lint.count("warning"), 0U) << target << ": " << between;
      EXPECT_EQ(report.measured, 0U) << target << ": " << between;
      ASSERT_TRUE(report.error) << target << ": " << between;
      EXPECT_GT(report.error->sqnr_db.value(), 25) << target << ": " << between;
    }
}

TEST_F(RepairModel, WritesThePairOfTheRangeThatAClipOfCodesLeaves) {
  static_cast<void>(
      repair_model(options(with_codes_between("q = QuantizeLinear (r, sa, z) k = Clip (q, lo, hi)"
                                              " d = DequantizeLinear (k, sa, z)",
                                              "int8 lo = {-64}, int8 hi = {63}, "))));
  const Model model = read_model(folder_ / "out.onnx");
  const Graph& graph = model.graph();
  EXPECT_EQ(std::ranges::count(graph.nodes(), "Clip", &Node::op_type), 0);
  const Node& quantize = graph.node(graph.value(*graph.find_value("r")).uses.front().node);
  EXPECT_FLOAT_EQ(graph.constant(quantize.input(1))->data<float>()[0], 0.05F * 64 / 127);
}

TEST_F(RepairModel, RefusesByNameAnOperatorThatComputesWithCodes) {
  try {
    static_cast<void>(repair_model(options(
        with_codes_between("q = QuantizeLinear (r, sa, z) k = Add (q, q) d = DequantizeLinear (k, sa, z)", ""))));
    ADD_FAILURE() << "repaired";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Unsupported);
    EXPECT_THAT(error.what(), HasSubstr("Add"));
  }
}

/// Returns a layer with UINT8 activations and a weight of codes near -127 and 127, whose sums saturate without VNNI.
std::string saturating(const std::string& layer) {
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,N,N] y)
<float sx = {0.03}, float sy = {0.05}, uint8 z = {0},
 )" + weight(1) +
         R"(>
{
  xq = QuantizeLinear (x, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = 1> (w, ws, wz)
  c = )" +
         layer +
         R"( (xd, wd)
  cq = QuantizeLinear (c, sy, z)  y = DequantizeLinear (cq, sy, z)
})";
}

/// Returns the type of the codes that the weight of a repaired file has.
DataType repaired_weight_type(const std::string& layer) {
  const TemporaryFolder folder;
  std::string text = saturating(layer);
  if (layer == "Conv") text.replace(text.find("<axis = 1>"), 10, "<axis = 0>");
  write_model(parse_model_text(text), folder / "given.onnx");
  static_cast<void>(
      repair_model({.model = folder / "given.onnx", .output = folder / "repaired.onnx", .target = "openvino:cpu"}));
  const Model repaired = read_model(folder / "repaired.onnx");
  for (const Node& node : repaired.graph().nodes())
    if (node.op_type == "DequantizeLinear" && repaired.graph().constant(*node.input(0)))
      if (const Tensor& codes = *repaired.graph().constant(*node.input(0)); codes.shape().rank() == 4)
        return codes.type();
  return DataType::Undefined;
}

TEST(RepairedForOpenVino, AWeightThatCanSaturateIsUint8ButNotThatOfAConvTranspose) {
  // With zero point 128 OpenVINO runs a ConvTranspose in float.
  EXPECT_EQ(repaired_weight_type("Conv"), DataType::UInt8);
  EXPECT_EQ(repaired_weight_type("ConvTranspose"), DataType::Int8);
}

}  // namespace
}  // namespace detent
