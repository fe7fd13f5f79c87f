#include <gmock/gmock.h>

#include "detent/explain.h"
#include "model/model.h"
#include "model/origin.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// An optimized model of ONNX Runtime: the pool runs in floats between two quantized layers.
constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,4,8,8] x) => (float[1,4,4,4] y) <float s = {0.1}, uint8 z = {128}> {
  p = AveragePool <kernel_shape = [2,2], strides = [2,2]> (x)
  q = QuantizeLinear (p, s, z)
  y = DequantizeLinear (q, s, z)
})";

std::string event(const std::string& node, const std::string& op, const std::string& inputs,
                  const std::string& output) {
  return R"({"cat": "Node", "name": ")" + node + R"(_kernel_time", "dur": 50, "args": {"op_name": ")" + op +
         R"(", "input_type_shape": [)" + inputs + R"(], "output_type_shape": [{")" + output + R"(": [1]}]}})";
}

struct Files {
  TemporaryFolder folder;
  ExplainOptions options;

  Files() {
    options.layers = folder.write(
        "profile.json",
        "[" + event("AveragePool_0", "AveragePool", R"({"float": [1]})", "float") + "," +
            event("QuantizeLinear_1", "QuantizeLinear", R"({"float": [1]}, {"float": []}, {"uint8": []})", "uint8") +
            "," +
            event("DequantizeLinear_2", "DequantizeLinear", R"({"uint8": [1]}, {"float": []}, {"uint8": []})",
                  "float") +
            "]");
  }
};

TEST(ExplainEngine, AProfileOfOnnxRuntimeAloneTellsNoCauses) {
  const Files files;
  const ExplainReport report = explain_engine(files.options);
  EXPECT_EQ(report.form, "onnxruntime");
  EXPECT_EQ(report.summary.standalone_quantize, 2U);
  EXPECT_GT(report.summary.unexplained, 0.6);
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("--model with the optimized model")));
}

TEST(ExplainEngine, WithTheOptimizedModelItDoes) {
  Files files;
  files.options.model = files.folder / "optimized.onnx";
  write_model(parse_model_text(kModel), files.options.model);
  const ExplainReport report = explain_engine(files.options);
  EXPECT_THAT(report.layers.at(1).cause, HasSubstr("AveragePool_0 has no pair in front of it: it computes in fp32"));
  EXPECT_THAT(report.layers.at(2).cause, HasSubstr("the network's output is fp32"));
  EXPECT_EQ(report.summary.unexplained, 0);
}

TEST(ExplainEngine, CuresNameTheModelAndTheEngine) {
  Files files;
  files.options.layers = files.folder.write("layers.json", R"({"Layers": [
    {"Name": "Conv_1", "LayerType": "CaskConvolution", "Weights": {"Type": "Int8"},
     "Inputs": [{"Name": "x", "Format/Datatype": "Int8"}, {"Name": "s", "Format/Datatype": "Half"}],
     "Outputs": [{"Name": "a", "Format/Datatype": "Half"}]},
    {"Name": "q", "LayerType": "Reformat", "Origin": "QDQ", "Inputs": [{"Name": "a", "Format/Datatype": "Half"}],
     "Outputs": [{"Name": "b", "Format/Datatype": "Int8"}]}], "Bindings": ["x", "y"]})");
  EXPECT_THAT(explain_engine(files.options).layers.at(1).cure, HasSubstr("detent repair MODEL.onnx -o"));
  files.options.model = files.folder / "a model.onnx";
  write_model(parse_model_text(kModel), files.options.model);
  const ExplainReport report = explain_engine(files.options);
  EXPECT_THAT(report.layers.at(1).cure, AllOf(HasSubstr("a model.onnx' -o"), HasSubstr("--target tensorrt")));
  ASSERT_TRUE(report.predictions);
  EXPECT_THAT(report.predictions->missing, IsEmpty()) << "the model has no weighted layer";
}

TEST(ExplainEngine, RepairIsNoCureForAFileThatDetentWrote) {
  Files files;
  files.options.layers = files.folder.write("layers.json", R"({"Layers": [
    {"Name": "AveragePool_1", "LayerType": "Pooling", "Inputs": [{"Name": "p", "Format": "", "Datatype": "Half"}],
     "Outputs": [{"Name": "a", "Format": "", "Datatype": "Half"}]},
    {"Name": "q", "LayerType": "Reformat", "Origin": "QDQ", "Inputs": [{"Name": "a", "Datatype": "Half"}],
     "Outputs": [{"Name": "b", "Datatype": "Int8"}]}], "I/O Tensors": [{"Name": "x"}, {"Name": "y"}]})");
  files.options.model = files.folder / "a.onnx";
  Model model = parse_model_text(kModel);
  write_model(model, files.options.model);
  const ExplainReport other = explain_engine(files.options);
  EXPECT_THAT(other.layers.at(1).cure,
              AllOf(HasSubstr("--include AveragePool_1; in a file of another tool"), HasSubstr("--target tensorrt:11")))
      << "the file has the form of TensorRT 11";
  files.options.model = files.folder / "own.onnx";
  set_origin(model, {"detent", "0.1.0", {}}, "detent.");
  write_model(model, files.options.model);
  const ExplainReport own = explain_engine(files.options);
  EXPECT_EQ(own.layers.at(1).cure, "detent quantize --include AveragePool_1");
  EXPECT_EQ(own.advice.at(0).cure, "detent quantize --include AveragePool_1");
}

TEST(ExplainEngine, RefusesTimesBesideOnnxRuntimesProfileAndAModelThatIsNone) {
  Files files;
  files.options.profile = files.options.layers;
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(explain_engine(files.options)); }).code(), ErrorCode::Usage);
  files.options.profile.clear();
  files.options.model = files.options.layers;
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(explain_engine(files.options)); }).code(), ErrorCode::InvalidModel);
}

}  // namespace
}  // namespace detent
