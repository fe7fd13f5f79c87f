#include "pipeline/latency/sample_shapes.h"

#include <gtest/gtest.h>

#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

/// A model of two inputs, the first of which has open sizes, with a sample.
class SampleShapes : public ::testing::Test {
 protected:
  [[nodiscard]] std::string command(const std::string& given, const char* sizes = "N, 3, W") {
    const Model model =
        parse_model_text(std::string("<ir_version: 8, opset_import: [\"\" : 13]>\n"
                                     "g (float[") +
                         sizes + "] x, float[3, 1] scale) => (float[" + sizes + "] y) { y = Mul (x, scale) }");
    write_model(model, folder_ / "m.onnx", {.overwrite = true});
    DataOptions data;
    data.batch_axes = {"scale=none"};
    data.own = samples_in_memory(
        {{Tensor::from<float>({1, 3, 5}, std::vector<float>(15)), Tensor::from<float>({3, 1}, std::vector<float>(3))}});
    return with_sample_shapes({.command = given}, folder_ / "m.onnx", data, {}).command;
  }

  TemporaryFolder folder_;
};

TEST_F(SampleShapes, GiveAReadyCommandTheSizesThatTheModelLeavesOpen) {
  EXPECT_EQ(command("onnxruntime --threads 1"), "onnxruntime --threads 1 --shape x=1,3,5");
}

TEST_F(SampleShapes, LeaveWhatTheUserSaid) {
  EXPECT_EQ(command("onnxruntime --shape x=1,3,9"), "onnxruntime --shape x=1,3,9");
  EXPECT_EQ(command("openvino --batch 4"), "openvino --batch 4");
}

TEST_F(SampleShapes, LeaveACommandOfTheUser) { EXPECT_EQ(command("./time-it"), "./time-it"); }

TEST_F(SampleShapes, LeaveAModelOfKnownSizes) { EXPECT_EQ(command("onnxruntime", "1, 3, 5"), "onnxruntime"); }

}  // namespace
}  // namespace detent
