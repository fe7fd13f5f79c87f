#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "detent/detent.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

std::vector<std::string> ids_above_note(const LintReport& report) {
  std::vector<std::string> ids;
  for (const auto& finding : report.findings)
    if (finding.level != "note") ids.push_back(finding.id);
  return ids;
}

size_t count(const LintReport& report, const std::string& level, const std::string& id) {
  return static_cast<size_t>(std::ranges::count_if(
      report.findings, [&](const auto& finding) { return finding.level == level && finding.id == id; }));
}

/// An FP16 model with FP16 scales: the text form has no literals of that type.
Model half_model_of_opset(int opset) {
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + R"(]>
    g (float16[1,1,4,4] x) => (float16[1,1,4,4] y)
    <float s = {0.5}, int8 z = {0}, int8[1,1,1,1] w = {3}, float ws = {0.25}>
    {
      q = QuantizeLinear (x, s, z)
      xd = DequantizeLinear (q, s, z)
      wd = DequantizeLinear (w, ws, z)
      y = Conv (xd, wd)
    })");
  GraphPatch patch;
  patch.reason = "halves";
  for (const char* name : {"s", "ws"})
    patch.replace_constants.emplace_back(
        name, cast(*model.graph().constant(*model.graph().find_value(name)), DataType::Float16));
  apply_patch(model, patch);
  return model;
}

/// A Conv between pairs whose zero points and weight come through operators, as exporters leave them.
std::string computed(const std::string& zero_point, const std::string& weight) {
  return R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,16,8,8] x) => (float[1,16,8,8] y)
    <float s = {0.5}, int64 zero = {0}, int8 z = {0}, int8[16,16,1,1] w = {)" +
         [] {
           std::string codes = "1";
           for (int i = 1; i < 256; ++i) codes += "," + std::to_string(i % 7);
           return codes;
         }() +
         R"(}, float ws = {0.25}> {
      zc = Cast <to = 3> (zero)
      wi = Identity (w)
      q = QuantizeLinear (x, s, )" +
         zero_point + R"()
      xd = DequantizeLinear (q, s, )" +
         zero_point + R"()
      wd = DequantizeLinear ()" +
         weight + R"(, ws, z)
      y = Conv (xd, wd) })";
}

TEST(LintModel, ComputedZeroPointsAndWeightsAreReadAsAnEngineFoldsThem) {
  const TemporaryFolder folder;
  for (const char* zero_point : {"z", "zc"})
    for (const char* weight : {"w", "wi"}) {
      const std::string name = std::string(zero_point) + weight + ".onnx";
      write_model(parse_model_text(computed(zero_point, weight)), folder / name);
      const LintReport report = lint_model({.model = folder / name, .target = "tensorrt", .shapes = {}});
      EXPECT_EQ(report.plan.coverage.int8_layers, 1) << name;
      EXPECT_TRUE(ids_above_note(report).empty()) << name << ": " << ids_above_note(report).front();
    }
}

// tf2onnx without folding: images in NHWC, weights in HWIO, each behind its pair and a Transpose.
TEST(LintModel, ALayerThatCountsAsInt8IsNotSaidToComputeInFloat) {
  const TemporaryFolder folder;
  std::string ones = "1";
  for (size_t i = 1; i < 9 * 4 * 4; ++i) ones += ",1";
  write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,8,8,4] x) => (float[1,4,8,8] y)
<float s = {0.1}, int8 z = {0}, float lo = {0}, float hi = {6}, float[4] ws = {0.01, 0.01, 0.01, 0.01},
 int8[4] wz = {0, 0, 0, 0}, float[3,3,4,4] w = {)" +
                               ones + R"(}> {
  xq = QuantizeLinear (x, s, z)  xd = DequantizeLinear (xq, s, z)  t = Transpose <perm = [0,3,1,2]> (xd)
  wq = QuantizeLinear <axis = 3> (w, ws, wz)  wd = DequantizeLinear <axis = 3> (wq, ws, wz)
  v = Transpose <perm = [3,2,0,1]> (wd)
  a = Conv <pads = [1,1,1,1]> (t, v)  c = Clip (a, lo, hi)
  cq = QuantizeLinear (c, s, z)  cd = DequantizeLinear (cq, s, z)
  y = Conv <pads = [1,1,1,1]> (cd, v) })"),
              folder / "model.onnx");
  const LintReport report = lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}});
  EXPECT_EQ(report.plan.coverage.int8_layers, 2);
  ASSERT_EQ(report.plan.quantizers.size(), 1U) << "the input's alone";
  EXPECT_EQ(report.plan.quantizers.front().reason.find("computes in float"), std::string::npos);
}

TEST(LintModel, HalfScalesAreForOpset19) {
  const TemporaryFolder folder;
  write_model(half_model_of_opset(17), folder / "early.onnx");
  write_model(half_model_of_opset(19), folder / "late.onnx");
  const std::string id = "fp16-scale-below-opset-19";
  EXPECT_EQ(count(lint_model({.model = folder / "early.onnx", .target = "tensorrt", .shapes = {}}), "note", id), 2);
  EXPECT_EQ(count(lint_model({.model = folder / "early.onnx", .target = "onnxruntime", .shapes = {}}), "error", id), 2);
  EXPECT_EQ(count(lint_model({.model = folder / "late.onnx", .target = "tensorrt", .shapes = {}}), "note", id), 0);
  EXPECT_EQ(count(lint_model({.model = folder / "late.onnx", .target = "onnxruntime", .shapes = {}}), "error", id), 0);
}

TEST(LintModel, HalfScalesBelowOpset19AreRefusedOrTaken) {
  const TemporaryFolder folder;
  write_model(half_model_of_opset(17), folder / "early.onnx");
  for (const auto& [target, words] : {std::pair{"tensorrt", "accepts it"}, std::pair{"onnxruntime", "refuses"}}) {
    const LintReport report = lint_model({.model = folder / "early.onnx", .target = target, .shapes = {}});
    const auto found = std::ranges::find(report.findings, "fp16-scale-below-opset-19", &LintReport::Finding::id);
    ASSERT_NE(found, report.findings.end()) << target;
    EXPECT_NE(found->message.find(words), std::string::npos) << found->message;
  }
}

TEST(LintModel, ConstantsThatACastMakesInfiniteAreNamed) {
  const TemporaryFolder folder;
  for (const char* number : {"70000", "60000"})
    write_model(parse_model_text(std::string(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float16[1,4] x) => (float16[1,4] y) <float k = {)") +
                                 number + R"(}> { h = Cast <to = 10> (k) y = Mul (x, h) })"),
                folder / (std::string(number) + ".onnx"));
  const std::string id = "overflow-in-half";
  EXPECT_EQ(count(lint_model({.model = folder / "70000.onnx", .target = "tensorrt:11", .shapes = {}}), "warning", id),
            1);
  EXPECT_EQ(count(lint_model({.model = folder / "60000.onnx", .target = "tensorrt:11", .shapes = {}}), "warning", id),
            0);
}

/// Two 1x1 convolutions on 4x4: 16 channels each way, the second on half the positions (stride 2 in one direction).
constexpr const char* kTwoLayers = R"(<ir_version: 8, opset_import: ["" : 17]>
  g (float[N,16,4,4] x) => (float[N,16,2,4] y)
  <float s = {0.5}, int8 z = {0}, float ws = {0.25}, float[16,16,1,1] u = {W}, float[16,16,1,1] w = {W}>
  {
    q = QuantizeLinear (x, s, z)
    xd = DequantizeLinear (q, s, z)
    wq = QuantizeLinear (w, ws, z)
    wd = DequantizeLinear (wq, ws, z)
    c = Conv (xd, wd)
    y = Conv <strides = [2,1]> (c, u)
  })";

std::string two_layers() {
  std::string text = kTwoLayers, numbers = "1";
  for (int i = 1; i < 16 * 16; ++i) numbers += ",1";
  for (size_t at; (at = text.find("{W}")) != std::string::npos;) text.replace(at + 1, 1, numbers);
  return text;
}

// c is INT8 and reads 16 * 16 * 16 MACs, y is FP32 and has half as many; c writes 1024 bytes, y 512.
TEST(LintModel, TheFloat32RestHasItsShares) {
  const TemporaryFolder folder;
  write_model(parse_model_text(two_layers()), folder / "model.onnx");
  const LintReport report = lint_model({.model = folder / "model.onnx", .target = "tensorrt:11", .shapes = {}});
  const auto rest = std::ranges::find(report.findings, "float32-rest", &LintReport::Finding::id);
  ASSERT_NE(rest, report.findings.end());
  EXPECT_EQ(rest->level, "warning");
  EXPECT_NEAR(rest->mac_share, 1.0 / 3, 1e-9);
  EXPECT_NE(rest->message.find("1 node computes in FP32: Conv"), std::string::npos) << rest->message;
  EXPECT_NE(rest->message.find("33.3 % of the MACs of weighted layers and 33.3 % of the bytes"), std::string::npos)
      << rest->message;
  EXPECT_EQ(report.built_for, "") << "float types say nothing of the engine";
  EXPECT_EQ(count(lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}}), "warning",
                  "float32-rest"),
            0);
}

TEST(LintModel, SharesAreOfTheModelsMacs) {
  const TemporaryFolder folder;
  write_model(parse_model_text(two_layers()), folder / "model.onnx");
  const LintReport report = lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}});
  ASSERT_EQ(report.plan.layers.size(), 2U);
  EXPECT_EQ(report.plan.layers[0].macs, 16 * 16 * 16);
  EXPECT_EQ(report.plan.layers[1].macs, 16 * 16 * 8);
  EXPECT_EQ(report.plan.coverage.int8_macs, 16 * 16 * 16);
  EXPECT_EQ(report.plan.coverage.pairs, 1);
  ASSERT_EQ(ids_above_note(report), std::vector<std::string>{"layer-left-float"});
  EXPECT_DOUBLE_EQ(report.findings[0].mac_share, 1.0 / 3);
}

TEST(LintModel, WithoutSizesSharesAreZeroAndANoteSaysSo) {
  const TemporaryFolder folder;
  std::string text = two_layers();
  text.replace(text.find("float[N,16,4,4] x"), 17, "float[N,16,H,4] x");
  write_model(parse_model_text(text), folder / "model.onnx");
  const LintReport open = lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}});
  ASSERT_EQ(ids_above_note(open), std::vector<std::string>{"layer-left-float"});
  EXPECT_EQ(open.findings[0].mac_share, 0);
  ASSERT_EQ(open.plan.notes.size(), 1U);
  const LintReport given =
      lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {{"x", {1, 16, 8, 4}}}});
  EXPECT_DOUBLE_EQ(given.findings[0].mac_share, 1.0 / 3);
  EXPECT_TRUE(given.plan.notes.empty());
}

TEST(LintModel, WorstFindingsComeFirst) {
  const TemporaryFolder folder;
  std::string text = two_layers();
  text.replace(text.find("int8 z = {0}"), 12, "int8 z = {1}");  // in the pairs of the first layer
  write_model(parse_model_text(text), folder / "model.onnx");
  const LintReport report = lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}});
  std::vector<std::string> levels;
  for (const auto& finding : report.findings) levels.push_back(finding.level);
  EXPECT_EQ(levels, (std::vector<std::string>{"error", "error", "warning"}));
}

TEST(LintModel, RefusesWhatIsNoModel) {
  const TemporaryFolder folder;
  folder.write("model.onnx", "no model");
  try {
    (void)lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  }
}

/// A pair in a branch, around a Conv or alone.
Model branching(const std::string& scale) {
  return parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (bool c, float[1,16,4,4] x) => (float[1,16,4,4] y)
    <float s = {)" + scale +
                          R"(}, int8 z = {0}, float ws = {0.25}, int8[16,16,1,1] w = {)" +
                          [] {
                            std::string numbers = "1";
                            for (int i = 1; i < 256; ++i) numbers += ",1";
                            return numbers;
                          }() +
                          R"(}>
    {
      r = Relu (x)
      y = If (c) <
        then_branch = t () => (float[1,16,4,4] p) {
          q = QuantizeLinear (r, s, z)
          d = DequantizeLinear (q, s, z)
          wd = DequantizeLinear (w, ws, z)
          p = Conv (d, wd)
        },
        else_branch = e () => (float[1,16,4,4] o) { o = Identity (r) }>
    })");
}

TEST(LintModel, ReadsTheGraphsInsideNodes) {
  const TemporaryFolder folder;
  write_model(branching("-1"), folder / "bad.onnx");
  write_model(branching("0.5"), folder / "good.onnx");
  const LintReport bad = lint_model({.model = folder / "bad.onnx", .target = "tensorrt", .shapes = {}});
  EXPECT_EQ(bad.origin, "qdq");
  EXPECT_EQ(count(bad, "error", "scale-not-positive"), 1U);
  EXPECT_NE(bad.findings.front().message.find("inside If"), std::string::npos);
  const LintReport good = lint_model({.model = folder / "good.onnx", .target = "tensorrt", .shapes = {}});
  EXPECT_TRUE(ids_above_note(good).empty());
  EXPECT_EQ(good.plan.coverage.layers, 1);
  EXPECT_EQ(good.plan.coverage.int8_layers, 1);
}

}  // namespace
}  // namespace detent
