#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "detent/detent.h"
#include "model/list_types_text.h"
#include "model/model.h"
#include "model/onnx_protos.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

/// Returns verify's line for a folder with that model and an input file that holds no tensor.
VerifyReport::Line verify_model(const Model& model) {
  const TemporaryFolder folder;
  write_model(model, folder.path() / "model.onnx");
  std::filesystem::create_directory(folder.path() / "test_data_set_0");
  std::ofstream(folder.path() / "test_data_set_0" / "input_0.pb") << "no tensor";
  VerifyOptions options;
  options.folders = {folder.path()};
  options.run.threads = 1;
  return verify_models(options).lines.at(0);
}

VerifyReport::Line verify_text(const std::string& text) { return verify_model(test::parse_list_types(text)); }

TEST(VerifyModels, CallsWhatCannotRunUnsupportedBeforeItReadsData) {
  const auto unknown = verify_text(
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x) => (float[2] y) { y = NoSuchOperator (x) }");
  EXPECT_EQ(unknown.outcome, VerifyReport::Line::Outcome::Unsupported) << unknown.detail;
  Model numbers = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 14]> g (float[2] x) => (float[2] y) { y = Identity (x) }");
  onnx::GraphProto& graph = *numbers.mutable_proto().mutable_graph();
  for (onnx::ValueInfoProto* value : {graph.mutable_input(0), graph.mutable_output(0)})
    value->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::COMPLEX64);
  const auto complex = verify_model(numbers);
  EXPECT_EQ(complex.outcome, VerifyReport::Line::Outcome::Unsupported) << complex.detail;
  const auto strings = verify_text(
      "<ir_version: 8, opset_import: [\"\" : 14]> g (seq(string[2]) x) => (int64 y) { y = SequenceLength (x) }");
  EXPECT_EQ(strings.outcome, VerifyReport::Line::Outcome::Unsupported) << strings.detail;
}

TEST(VerifyModels, NamesTheOperatorsThatCannotRun) {
  const auto line = verify_text(
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x) => (float[2] y) "
      "{ a = NoSuchOperator (x)  b = Abs (a)  c = AnotherOne (b)  y = NoSuchOperator (c) }");
  EXPECT_THAT(line.operators, ::testing::ElementsAre("AnotherOne", "NoSuchOperator"));
}

TEST(VerifyModels, CallsUnreadableDataFailed) {
  const auto line =
      verify_text("<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x) => (float[2] y) { y = Abs (x) }");
  EXPECT_EQ(line.outcome, VerifyReport::Line::Outcome::Failed) << line.detail;
}

}  // namespace
}  // namespace detent
