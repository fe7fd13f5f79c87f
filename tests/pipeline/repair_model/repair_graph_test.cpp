#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/trained_block.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST_F(RepairModel, PutsAReluBackWhereAPairDoesItsWork) {
  // onnxruntime.quantization took the Relu between the Convs out: the codes begin at 0.
  RepairOptions given = options(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y)
<float sx = {0.03}, float sa = {0.05}, uint8 m = {128}, uint8 z = {0},
 )" + trained_weight(1) + R"(>
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
 )" + trained_weight(1) + R"(>
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
                           trained_weight(1) +
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
         trained_weight(1) + R"(>
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
         constants + trained_weight(1) + R"(>
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
 )" + trained_weight(1) +
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
