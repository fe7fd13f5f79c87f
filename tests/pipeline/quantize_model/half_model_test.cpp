// Runs FP16 models through the whole program and checks the written file and its results.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "detent/base/error.h"
#include "detent/detent.h"
#include "detent/options/placement_options.h"
#include "model/half_constants.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "prepare/prepare_model.h"
#include "shared_folder.h"

// Case C6: an FP16 model stays FP16 at its boundary, with FP16 scales and the opset raised, or FP32 scales between
// casts.
namespace detent {
namespace {

namespace fs = std::filesystem;
using Scales = PlacementOptions::Scales;

fs::path half_model() { return shared_folder() / "models/shapes_unet/model_fp16_opset17.onnx"; }

/// Every DequantizeLinear and QuantizeLinear has a scale of this type, positive and finite.
void expect_scales(const Graph& graph, DataType type) {
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "QuantizeLinear" && node.op_type != "DequantizeLinear") continue;
    const Tensor* scale = graph.constant(node.input(1));
    ASSERT_NE(scale, nullptr) << node.name;
    EXPECT_EQ(scale->type(), type) << node.name;
    const Tensor wide = cast(*scale, DataType::Float32);
    for (const float s : wide.data<float>()) {
      EXPECT_GT(s, 0) << node.name;
      EXPECT_TRUE(std::isfinite(s)) << node.name;
    }
  }
}

size_t casts(const Graph& graph) {
  return static_cast<size_t>(std::ranges::count(graph.nodes(), "Cast", &Node::op_type));
}

class SharedHalfModel : public testing::TestWithParam<std::tuple<const char*, const char*, Scales>> {};

INSTANTIATE_TEST_SUITE_P(, SharedHalfModel,
                         testing::Combine(testing::Values("tensorrt", "tensorrt:8.6", "onnxruntime"),
                                          testing::Values("max", "percentile", "entropy", "mse"),
                                          testing::Values(Scales::Fp16, Scales::Fp32)));

TEST_P(SharedHalfModel, StaysHalfAtItsBoundaryAndNearItsFloatOutputs) {
  if (!fs::exists(half_model())) GTEST_SKIP() << "missing " << half_model();
  const auto [target, calibrator, scales] = GetParam();
  const TemporaryFolder folder;
  QuantizeOptions options;
  options.model = half_model();
  options.output = folder.path() / "quantized.onnx";
  options.data.sources = {(half_model().parent_path() / "calib").string()};
  options.data.preprocess = "unit,mean=.485/.456/.406,std=.229/.224/.225";
  options.data.limit = 8;
  options.error_samples = 4;
  options.target = target;
  options.calibrator = calibrator;
  options.placement.scales = scales;
  const QuantizeReport report = quantize_model(options);

  const Model written = read_model(options.output);
  const Graph& graph = written.graph();
  const bool half = scales == Scales::Fp16;
  for (const ValueId id : {graph.inputs()[0], graph.outputs()[0]})
    EXPECT_EQ(graph.value(id).declared_type, DataType::Float16) << graph.value(id).name;
  EXPECT_EQ(graph.opset(), half ? 19 : 17);
  EXPECT_EQ(report.written_opset, graph.opset());
  expect_scales(graph, half ? DataType::Float16 : DataType::Float32);
  if (half) {
    EXPECT_EQ(casts(graph), 0U);
    EXPECT_EQ(graph.node(graph.value(graph.inputs()[0]).uses.at(0).node).op_type, "QuantizeLinear");
  } else {
    EXPECT_GT(casts(graph), 0U);
  }
  ASSERT_TRUE(report.error.has_value());
  // As for FP32: a single value quantized to 8 bits has 30 dB and more; below 20 dB something is broken.
  EXPECT_GT(report.error->sqnr_db, 20);
}

const char* const kHalfConv = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float16[1,2,4,4] x) => (float16[1,2,4,4] y) <float[2,2,1,1] wf = {1, 2, 3, 4}>
{ w = Cast <to = 10> (wf)  c = Conv (x, w)  y = Relu (c) })";

TEST(HalfScales, RaiseTheOpsetOfHalfModelsOnly) {
  Model half = test::parse_half_model(kHalfConv);
  EXPECT_EQ(prepare_model(half, find_target("tensorrt")).opset_after, 19);
  Model casts_only = test::parse_half_model(kHalfConv);
  EXPECT_EQ(prepare_model(casts_only, find_target("tensorrt"), {.half_scales = false}).opset_after, 17);
  Model wide = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y) { y = Relu (x) })");
  EXPECT_EQ(prepare_model(wide, find_target("tensorrt")).opset_after, 17);
}

TEST(HalfScales, WeightsThatAreOnlyStoredInHalfRaiseNoOpset) {
  const auto prepared_opset = [](const std::string& layers) {
    Model model = test::parse_half_model(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y) <float[2,2,1,1] wf = {1, 2, 3, 4}> { w = Cast <to = 10> (wf) )" +
                                         layers + " }");
    return prepare_model(model, find_target("onnxruntime")).opset_after;
  };
  EXPECT_EQ(prepared_opset("v = Cast <to = 1> (w)  c = Conv (x, v)  y = Conv (c, v)"), 17);
  EXPECT_EQ(prepared_opset("h = Cast <to = 10> (x)  c = Conv (h, w)  y = Cast <to = 1> (c)"), 19);
}

TEST(HalfScales, RaiseTheOpsetInsideBranchesToo) {
  // Split needs num_outputs from opset 18 on.
  const char* const text = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float16[4] x, bool c) => (float16[2] y)
{
  y = If (c) <
    then_branch = t () => (float16[2] a) { a, b = Split <axis = 0> (x) },
    else_branch = e () => (float16[2] a) { a, b = Split <axis = 0> (x) }>
})";
  Model model = parse_model_text(text);
  EXPECT_EQ(prepare_model(model, find_target("tensorrt")).opset_after, 19);
  Model without = parse_model_text(text);
  EXPECT_EQ(prepare_model(without, find_target("tensorrt"), {.half_scales = false}).opset_after, 17);
}

TEST(HalfScales, SayHowToDoWithoutWhenTheOpsetCannotBeRaised) {
  // The further outputs of BatchNormalization changed in opset 14.
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float16[1,2,4,4] x, float16[2] s, float16[2] b, float16[2] m, float16[2] v) => (float16[1,2,4,4] y, float16[2] mean)
{ y, mean, var, saved_mean, saved_var = BatchNormalization (x, s, b, m, v) })");
  const Error error = error_of<Error>([&] { (void)prepare_model(model, find_target("tensorrt")); });
  EXPECT_EQ(error.code(), ErrorCode::Unsupported);
  EXPECT_THAT(error.what(), testing::HasSubstr("FP16 scales need opset 19"));
  EXPECT_THAT(error.hint(), testing::HasSubstr("--format scales=fp32"));
}

/// Returns the types of the scales of a Conv with LeakyRelu between other Convs, in a file with 16-bit floats.
std::vector<DataType> scales_beside_half(const std::string& target, const std::string& activation) {
  const TemporaryFolder folder;
  std::string weights = "{";
  for (int i = 0; i < 16 * 16; ++i) weights += (i == 0 ? "" : ", ") + std::to_string((i * 7 % 11) - 5) + ".0";
  write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,16,4,4] x) => (float[1,16,4,4] y) <float[16,16,1,1] w = )" +
                               weights + "}> { c = Conv (x, w)  l = " + activation + " (c)  y = Conv (l, w) }"),
              folder / "model.onnx");
  QuantizeOptions options;
  options.model = folder / "model.onnx";
  options.output = folder / "quantized.onnx";
  options.target = target;
  options.data.sources = {"random:normal,n=4"};
  options.format.float_type = FloatType::Fp16;
  (void)quantize_model(options);
  const Model written = read_model(options.output);
  std::vector<DataType> found;
  for (const Node& node : written.graph().nodes())
    if (node.op_type == "QuantizeLinear") found.push_back(written.graph().constant(node.input(1))->type());
  return found;
}

TEST(HalfFloats, LeaveFp32AroundLayersThatTensorRtDoesNotBuildBesideThem) {
  EXPECT_THAT(scales_beside_half("tensorrt", "LeakyRelu"), testing::Each(DataType::Float32));
  EXPECT_THAT(scales_beside_half("tensorrt", "Relu"), testing::Contains(DataType::Float16));
  EXPECT_THAT(scales_beside_half("tensorrt:11", "LeakyRelu"), testing::Contains(DataType::Float16));
}

}  // namespace
}  // namespace detent
