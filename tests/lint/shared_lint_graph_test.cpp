#include <gtest/gtest.h>

#include <map>
#include <set>

#include "detent/detent.h"
#include "model/temporary_folder.h"
#include "shared_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

struct SharedCase {
  const char* file;
  const char* data = "";  ///< below the shared folder; "": the test_data_set beside the model, else random numbers
  const char* preprocess = "";  ///< for images
  /// Layers of the default output that ONNX Runtime runs in float although the plan says INT8; tried there.
  std::set<std::string> float_in_onnxruntime = {};
  bool half = false;
};

// Tests of every model and export that can be quantized.
const SharedCase kCases[] = {
    {"exports/bert_mini/dynamo_opset18.onnx"},
    {"exports/bert_mini/legacy_opset14.onnx"},
    {"exports/conv3d_mini/dynamo_opset18.onnx"},
    {"exports/conv3d_mini/legacy_opset13.onnx"},
    {"exports/fpn_mini/dynamo_opset18.onnx"},
    {"exports/fpn_mini/legacy_opset13.onnx"},
    {"exports/lstm_mini/legacy_opset14.onnx"},
    {"exports/mobilenetv3_small/legacy_opset13.onnx"},
    {"exports/shufflenetv2/legacy_opset12.onnx"},
    {"exports/style_mini/dynamo_opset18.onnx"},
    {"exports/style_mini/legacy_opset11.onnx"},
    {"exports/tcn1d/dynamo_opset18.onnx"},
    {"exports/tcn1d/legacy_opset13.onnx"},
    {"exports/vit_mini/dynamo_opset20.onnx"},
    {"exports/vit_mini/legacy_opset14.onnx"},
    {"exports/yolo_mini/dynamo_opset18.onnx"},
    {"exports/yolo_mini/legacy_opset12.onnx"},
    {"models/cifar10_efficientnet_b0/model_opset17.onnx"},
    {"models/cifar10_resnet18/model_opset17.onnx"},
    {"models/coco_yolox_nano/model_opset11.onnx"},
    {"models/face_rfb320/model_opset9.onnx"},
    {"models/imagenet_mobilenetv2/model_opset12.onnx"},
    {"models/imagenet_squeezenet1.1/model_opset12.onnx"},
    {"models/occupancy3d/model_opset13.onnx"},
    {"models/occupancy3d/model_opset20_dynamo.onnx"},
    {.file = "models/shapes_unet/model_fp16_opset17.onnx", .half = true},
    {"models/shapes_unet/model_opset13.onnx"},
    {"models/shapes_unet/model_opset20_dynamo.onnx"},
    {"models/style_starry_night/model_opset12.onnx"},
    {"models/text_ppocrv3_det/model_opset14.onnx", "images/ocr", "imagenet,resize=320x320,crop=320"},
};

QuantizeOptions options_for(const SharedCase& one, const fs::path& output, const std::string& target) {
  QuantizeOptions options;
  options.model = shared_folder() / one.file;
  options.output = output;
  options.target = target;
  options.calibrator = "max";
  options.stop_after = StopAfter::Rewrite;  // the verdict would take most of the time
  const fs::path beside = options.model.parent_path() / "test_data_set_0";
  options.data.sources = {*one.data            ? (shared_folder() / one.data).string()
                          : fs::exists(beside) ? beside.string()
                                               : "random:normal,n=2"};
  options.data.preprocess = one.preprocess;
  options.data.limit = 2;
  return options;
}

std::string test_name(const testing::TestParamInfo<SharedCase>& one) {
  std::string name = one.param.file;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class LintOfOurs : public testing::TestWithParam<SharedCase> {
 protected:
  [[nodiscard]] static LintReport quantize_and_lint(const std::string& target) {
    const TemporaryFolder folder;
    const fs::path output = folder / "model.onnx";
    (void)quantize_model(options_for(GetParam(), output, target));
    return lint_model({.model = output, .target = target, .shapes = {}});
  }
};

TEST_P(LintOfOurs, TensorRtDefaultsGiveNotesOnly) {
  if (!fs::exists(shared_folder() / GetParam().file)) GTEST_SKIP() << "missing " << GetParam().file;
  const LintReport report = quantize_and_lint("tensorrt");
  for (const auto& finding : report.findings)
    EXPECT_EQ(finding.level, "note") << finding.id << " " << finding.node << ": " << finding.message;
}

// FP16 around INT8: no scale of another type than its value, no cast beside a pair, no constant that vanished.
TEST_P(LintOfOurs, StronglyTypedDefaultsGiveNotesOnly) {
  if (!fs::exists(shared_folder() / GetParam().file)) GTEST_SKIP() << "missing " << GetParam().file;
  const LintReport report = quantize_and_lint("tensorrt:11");
  for (const auto& finding : report.findings)
    EXPECT_EQ(finding.level, "note") << finding.id << " " << finding.node << ": " << finding.message;
}

TEST_P(LintOfOurs, OnnxRuntimeDefaultsGiveNotesOnly) {
  if (!fs::exists(shared_folder() / GetParam().file)) GTEST_SKIP() << "missing " << GetParam().file;
  // ONNX Runtime runs layers with FP16 scales in float: lint reports every layer as left float, and nothing worse.
  if (GetParam().half) {
    const LintReport half = quantize_and_lint("onnxruntime");
    EXPECT_EQ(half.plan.coverage.int8_layers, 0);
    for (const auto& finding : half.findings) EXPECT_NE(finding.level, "error") << finding.id << " " << finding.node;
    return;
  }
  const LintReport report = quantize_and_lint("onnxruntime");
  std::map<std::string, std::string> operators;
  for (const auto& layer : report.plan.layers) operators[layer.name] = layer.op;
  for (const auto& finding : report.findings) {
    if (finding.id == "layer-left-float" && GetParam().float_in_onnxruntime.contains(operators[finding.node])) continue;
    EXPECT_EQ(finding.level, "note") << finding.id << " " << finding.node << ": " << finding.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, LintOfOurs, testing::ValuesIn(kCases), test_name);

}  // namespace
}  // namespace detent
