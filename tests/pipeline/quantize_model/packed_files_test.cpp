// Products of weights in codes as MatMulNBits and HardSwish as a product of codes, in the files of engines that have
// kernels for them.
#include <gtest/gtest.h>

#include <algorithm>

#include "detent/detent.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

size_t count(const Model& model, const std::string& op) {
  return static_cast<size_t>(std::ranges::count(model.graph().nodes(), op, &Node::op_type));
}

/// report  receives the command's, unless it is nullptr
Model quantized(const std::string& target, const std::string& text, QuantizeReport* report = nullptr) {
  const TemporaryFolder folder;
  write_model(parse_model_text(text), folder / "model.onnx");
  QuantizeOptions options;
  options.model = folder / "model.onnx";
  options.data.sources = {"random:normal,n=4"};
  options.target = target;
  options.output = folder / "out.onnx";
  const QuantizeReport made = quantize_model(options);
  if (report) *report = made;
  return read_model(folder / "out.onnx");
}

std::string product() {
  std::string weight;
  for (int i = 0; i < 32 * 32; ++i) weight += (i ? "," : "") + std::to_string((i * 37 % 101 - 50) / 100.0);
  return R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,8,32] x) => (float[1,8,32] y)
<float[32,32] w = {)" +
         weight + R"(}> { a = MatMul (x, w) y = Tanh (a) })";
}

/// x times 9 reaches beyond -3.
std::string hard_swish(const std::string& nodes) {
  return R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,16,4,4] x) => (float[1,16,4,4] y)
<float[16,1,1,1] v = {9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9}, float[16,1,1,1] w = {1,2,3,4,5,6,7,8,8,7,6,5,4,3,2,1},
 float three = {3}, float zero = {0}, float six = {6}>
{ a = Conv <group = 16> (x, v) )" +
         nodes + R"( b = Conv <group = 16> (h, w) y = Tanh (b) })";
}

TEST(PackedFiles, HaveHardSwishOnCodesWhereTheEngineHasKernelsForThat) {
  for (const std::string nodes :
       {"h = HardSwish (a)", "s = HardSigmoid <alpha = 0.16666667, beta = 0.5> (a) h = Mul (s, a)",
        "s = Add (a, three) c = Clip (s, zero, six) p = Mul (a, c) h = Div (p, six)"}) {
    const Model codes = quantized("onnxruntime", hard_swish(nodes)), floats = quantized("web", hard_swish(nodes));
    EXPECT_EQ(count(codes, "HardSwish") + count(codes, "HardSigmoid") + count(codes, "Add") + count(codes, "Div"), 0U);
    ASSERT_EQ(count(codes, "Clip"), 1U) << nodes;
    EXPECT_EQ(count(codes, "Mul"), 1U) << nodes;
    const auto clip = std::ranges::find(codes.graph().nodes(), "Clip", &Node::op_type);
    const Tensor* high = codes.graph().constant(clip->input(2));
    ASSERT_TRUE(high) << nodes;
    EXPECT_EQ(high->type(), DataType::UInt8) << nodes;
    EXPECT_EQ(count(floats, "HardSwish") + count(floats, "HardSigmoid") + count(floats, "Add"), 1U) << nodes;
  }
}

TEST(PackedFiles, LintReadsHardSwishOnCodes) {
  const TemporaryFolder folder;
  write_model(quantized("onnxruntime", hard_swish("h = HardSwish (a)")), folder / "file.onnx");
  LintOptions options;
  options.model = folder / "file.onnx";
  options.target = "onnxruntime";
  const LintReport report = lint_model(options);
  EXPECT_EQ(report.count("error"), 0U);
  EXPECT_EQ(report.plan.coverage.int8_layers, 2);
}

TEST(PackedFiles, HaveMatMulNBitsWhereTheEngineHasThatKernelAlone) {
  const Model packed = quantized("web:webgpu", product()), pairs = quantized("onnxruntime", product());
  EXPECT_EQ(count(packed, "MatMulNBits"), 1U);
  EXPECT_EQ(count(packed, "MatMul") + count(packed, "QuantizeLinear") + count(packed, "DequantizeLinear"), 0U);
  EXPECT_EQ(count(pairs, "MatMulNBits"), 0U);
  EXPECT_EQ(count(pairs, "MatMul"), 1U);
}

TEST(PackedFiles, AreJudgedAlthoughNoLayerIsInt8) {
  QuantizeReport codes, floats;
  static_cast<void>(quantized("web:webgpu", product(), &codes));
  static_cast<void>(quantized("web:webgpu",
                              R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,8] x) => (float[1,8] y) { y = Tanh (x) })",
                              &floats));
  EXPECT_EQ(codes.plan.coverage.int8_layers, 0);
  EXPECT_TRUE(codes.verdict.quality);
  EXPECT_FALSE(floats.verdict.quality);
}

}  // namespace
}  // namespace detent
