#include "place/weights_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/model.h"
#include "place/engines/target.h"

namespace detent {
namespace {

/// Returns "float[64,64] w = {...}" with as many numbers as it has elements.
std::string weight_constant(const std::string& shape, int elements, const char* name) {
  std::string text = "float[" + shape + "] " + name + " = {1";
  for (int i = 1; i < elements; ++i) text += ",1";
  return text + "}";
}

std::string layers() {
  return R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,64] x, float[1,3,8,8] image)
      => (float[1,64] a, float[1,64] b, float[1,64] c, float[1,3,6,6] d, float[64,1] e, float[1,3] f)
    <)" + weight_constant("64,64", 64 * 64, "w") +
         ", " + weight_constant("3,3,3,3", 81, "k") + ", " + weight_constant("1,3", 3, "odd") + R"(> {
      a = MatMul (x, w)
      b = Gemm (x, w)
      c = Gemm <alpha = 0.5> (x, w)
      d = Conv (image, k)
      t = Transpose <perm = [1, 0]> (x)
      e = MatMul (w, t)
      s = ReduceMean <axes = [1]> (x)
      f = MatMul (s, odd)
    })";
}

struct Planned {
  Model model = parse_model_text(layers());
  PlacementPlan plan;

  explicit Planned(const char* target, const NodeChoice& options = {}, const WeightBlocks& blocks = {})
      : plan(make_weights_plan(model.graph(), find_target(target), options, blocks)) {}
  [[nodiscard]] const LayerDecision& layer(const char* output) const {
    return *plan.find_layer(model.graph().producer(*model.graph().find_value(output))->id);
  }
  [[nodiscard]] bool quantizes(const char* output) const {
    const NodeId node = layer(output).node;
    return std::ranges::any_of(plan.weights, [&](const WeightDecision& weight) { return weight.node == node; });
  }
};

TEST(WeightsPlan, TakesTheRightOperandsOfProducts) {
  const Planned planned("onnxruntime");
  EXPECT_TRUE(planned.quantizes("a"));
  EXPECT_TRUE(planned.quantizes("b"));
  EXPECT_EQ(name_of(planned.layer("a").rule), "R16 weights alone");
  EXPECT_EQ(planned.layer("a").reason, "only the weight is stored as integers; the layer computes in float");
}

TEST(WeightsPlan, SaysWhyOthersStayFloat) {
  const Planned planned("onnxruntime");
  EXPECT_EQ(planned.layer("c").reason, "alpha is not 1, which engines do not fuse");
  EXPECT_EQ(planned.layer("d").reason, "4 bits are too few for one scale a channel; --type int8 makes codes of it");
  EXPECT_EQ(planned.layer("e").reason, "the weight is the left operand, which engines take in float only");
  EXPECT_EQ(planned.layer("f").reason, "an odd number of 4-bit codes fills no whole byte");
  for (const char* output : {"c", "d", "e", "f"}) EXPECT_FALSE(planned.quantizes(output)) << output;
}

TEST(WeightsPlan, PutsNoPairAnywhere) {
  for (const EdgeDecision& edge : Planned("tensorrt").plan.edges) EXPECT_FALSE(edge.reads_pair());
}

TEST(WeightsPlan, EightBitsFillBytesInAnyNumber) {
  EXPECT_TRUE(Planned("onnxruntime", {}, {.bits = 8}).quantizes("f"));
}

TEST(WeightsPlan, TensorRTWantsWholeBlocks) {
  EXPECT_TRUE(Planned("tensorrt", {}, {.bits = 4, .block = 64}).quantizes("a"));
  EXPECT_FALSE(Planned("tensorrt", {}, {.bits = 4, .block = 128}).quantizes("a"));
  EXPECT_TRUE(Planned("onnxruntime", {}, {.bits = 4, .block = 128}).quantizes("a"));
  EXPECT_TRUE(Planned("tensorrt", {}, {.bits = 4, .block = 0}).quantizes("a"));
}

TEST(WeightsPlan, OpenVinoReadsFourBitsOfAnEvenNumberOfRows) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,3] x, float[1,6] z) => (float[1,2] odd, float[1,2] even)
    <float[3,2] v = {1,2,3,4,5,6}, float[6,2] w = {1,2,3,4,5,6,1,2,3,4,5,6}> { odd = MatMul (x, v) even = MatMul (z, w) })");
  const auto quantized = [&](const char* target, int bits) {
    return make_weights_plan(model.graph(), find_target(target), {}, {.bits = bits, .block = 32}).weights.size();
  };
  EXPECT_EQ(quantized("openvino", 4), 1);
  EXPECT_EQ(quantized("openvino", 8), 2);
  EXPECT_EQ(quantized("onnxruntime", 4), 2);
}

TEST(WeightsPlan, SaysWhereEightBitsSaveNothing) {
  EXPECT_FALSE(Planned("tensorrt-rtx", {}, {.bits = 8}).plan.notes.empty());
  EXPECT_TRUE(Planned("tensorrt-rtx", {}, {.bits = 4}).plan.notes.empty());
  EXPECT_TRUE(Planned("tensorrt", {}, {.bits = 8}).plan.notes.empty());
}

/// A Conv of 1152 weights, a ConvTranspose of as many, and a Gemm that engines do not fuse.
Model convolutions() {
  return parse_model_text(
      R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,8,9,9] x, float[64,1] z) => (float[1,16,7,7] a, float[1,16,11,11] b, float[1,16] c)
    <)" +
      weight_constant("16,8,3,3", 1152, "k") + ", " + weight_constant("8,16,3,3", 1152, "t") + ", " +
      weight_constant("64,16", 1024, "w") +
      R"(> { a = Conv (x, k) b = ConvTranspose (x, t) c = Gemm <alpha = 0.5, transA = 1> (z, w) })");
}

TEST(WeightsPlan, EightBitsOfConvolutionsHaveAScaleAnOutputChannel) {
  const Model model = convolutions();
  for (const char* target : {"onnxruntime", "openvino"}) {
    const PlacementPlan plan = make_weights_plan(model.graph(), find_target(target), {}, {.bits = 8});
    ASSERT_EQ(plan.weights.size(), 3U) << target;
    EXPECT_EQ(plan.weights[0].axis, 0) << target;
    EXPECT_EQ(plan.weights[1].axis, 1) << target;
    EXPECT_EQ(plan.notes.size(), 1U) << "convolutions have no blocks";
    EXPECT_TRUE(make_weights_plan(model.graph(), find_target(target), {}, {.bits = 4}).weights.empty()) << target;
  }
  const PlacementPlan tensorrt = make_weights_plan(model.graph(), find_target("tensorrt"), {}, {.bits = 8});
  EXPECT_TRUE(tensorrt.weights.empty()) << "it refuses convolutions whose weights alone are codes";
  EXPECT_EQ(tensorrt.layers[0].reason, "TensorRT takes integer weights with float activations in MatMul and Gemm only");
}

TEST(WeightsPlan, SmallConvolutionsKeepTheirFloats) {
  const Planned planned("onnxruntime", {}, {.bits = 8});
  EXPECT_FALSE(planned.quantizes("d"));
  EXPECT_EQ(planned.layer("d").reason, "the weight has less than 1024 numbers");
}

TEST(WeightsPlan, LayersWhoseDataComeOutOfAPairStayAsTheyAre) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,64] x) => (float[64,1] a, float[1,64] b, float[1,64] c)
    <float s = {0.1}, int8 z = {0}, )" +
                                       weight_constant("64,64", 64 * 64, "w") + R"(> {
      q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z)
      b = MatMul (d, w)
      c = MatMul (x, w)
      t = Transpose (d) a = Relu (t) })");
  const PlacementPlan plan = make_weights_plan(model.graph(), find_target("onnxruntime"), {}, {.bits = 8});
  ASSERT_EQ(plan.layers.size(), 2U);
  EXPECT_EQ(plan.layers[0].reason, "its data come out of a pair: with codes as weight it would compute in INT8");
  ASSERT_EQ(plan.weights.size(), 1U);
  EXPECT_EQ(plan.weights[0].node, plan.layers[1].node);
}

TEST(WeightsPlan, LeavesOutWhatTheUserExcludes) {
  NodeChoice options;
  options.exclude_op = {"Gemm"};
  const Planned planned("onnxruntime", options);
  EXPECT_FALSE(planned.quantizes("b"));
  EXPECT_EQ(planned.layer("b").reason, "excluded by --policy exclude-op=Gemm");
  EXPECT_TRUE(planned.quantizes("a"));
}

}  // namespace
}  // namespace detent
