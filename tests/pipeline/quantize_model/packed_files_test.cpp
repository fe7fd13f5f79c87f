// Products of weights in codes in the file of an engine that has one kernel for them, MatMulNBits.
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

Model quantized(const std::string& target) {
  const TemporaryFolder folder;
  std::string weight;
  for (int i = 0; i < 32 * 32; ++i) weight += (i ? "," : "") + std::to_string((i * 37 % 101 - 50) / 100.0);
  write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,8,32] x) => (float[1,8,32] y)
<float[32,32] w = {)" + weight +
                               R"(}> { a = MatMul (x, w) y = Tanh (a) })"),
              folder / "model.onnx");
  QuantizeOptions options;
  options.model = folder / "model.onnx";
  options.data.sources = {"random:normal,n=4"};
  options.target = target;
  options.output = folder / "out.onnx";
  quantize_model(options);
  return read_model(folder / "out.onnx");
}

TEST(PackedFiles, HaveMatMulNBitsWhereTheEngineHasThatKernelAlone) {
  const Model packed = quantized("web:webgpu"), pairs = quantized("onnxruntime");
  EXPECT_EQ(count(packed, "MatMulNBits"), 1U);
  EXPECT_EQ(count(packed, "MatMul") + count(packed, "QuantizeLinear") + count(packed, "DequantizeLinear"), 0U);
  EXPECT_EQ(count(pairs, "MatMulNBits"), 0U);
  EXPECT_EQ(count(pairs, "MatMul"), 1U);
}

}  // namespace
}  // namespace detent
