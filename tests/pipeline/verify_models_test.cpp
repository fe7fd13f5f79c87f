#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

/// A detector of 16 cells that hands its input on: four coordinates over 8, and the logit of a score.
constexpr const char* kDetector =
    "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,5,4,4] x) => (float[1,5,16] y) "
    "<float[4,5,1,1] wb = {1,0,0,0,0, 0,1,0,0,0, 0,0,1,0,0, 0,0,0,1,0}, float[1,5,1,1] ws = {0, 0, 0, 0, 1}, "
    "float[1,1,1] stride = {8}, int64[3] four = {1, 4, 16}, int64[3] one = {1, 1, 16}> "
    "{ c = Conv (x, wb) d = Reshape (c, four) e = Mul (d, stride) f = Conv (x, ws) g = Reshape (f, one) "
    "h = Sigmoid (g) y = Concat <axis = 1> (e, h) }";

std::string tensor_pb(const Shape& shape, const std::vector<float>& numbers) {
  onnx::TensorProto proto;
  for (const int64_t extent : shape.dims()) proto.add_dims(extent);
  proto.set_data_type(onnx::TensorProto::FLOAT);
  for (const float number : numbers) proto.add_float_data(number);
  return proto.SerializeAsString();
}

/// Returns verify's line for two objects, 10 cells apart; the stored boxes of the second lie `moved` pixels away.
VerifyReport::Line verify_detector(float moved) {
  std::vector<float> x(80, 1), y(80, 8);
  const auto score = [](float logit) { return 1 / (1 + std::exp(-logit)); };
  for (size_t cell = 0; cell < 16; ++cell) {
    const float logit = cell == 0 ? 4 : cell == 1 ? 3 : -5;
    x[64 + cell] = logit, y[64 + cell] = score(logit);
  }
  x[1] = 11, y[1] = 88 + moved;
  const TemporaryFolder folder;
  write_model(parse_model_text(kDetector), folder.path() / "model.onnx");
  std::filesystem::create_directory(folder / "test_data_set_0");
  static_cast<void>(folder.write("test_data_set_0/input_0.pb", tensor_pb({1, 5, 4, 4}, x)));
  static_cast<void>(folder.write("test_data_set_0/output_0.pb", tensor_pb({1, 5, 16}, y)));
  VerifyOptions options;
  options.folders = {folder.path()};
  options.run.threads = 1;
  return verify_models(options).lines.at(0);
}

TEST(VerifyModels, TellHowFarTheDetectionsOfAFailedDetectorAgree) {
  const auto lost = verify_detector(100);
  EXPECT_EQ(lost.outcome, VerifyReport::Line::Outcome::Failed);
  ASSERT_TRUE(lost.detection_agreement) << lost.detail;
  EXPECT_NEAR(*lost.detection_agreement, 51.0 / 101, 1e-9) << "one of two: 51 of 101 recalls are reached";
  EXPECT_THAT(lost.detail, ::testing::HasSubstr("; its detections agree with the stored ones to 50.5 % mAP"));
  const auto near = verify_detector(0.1F);
  EXPECT_EQ(near.outcome, VerifyReport::Line::Outcome::Failed);
  EXPECT_NEAR(near.detection_agreement.value_or(0), 1, 1e-9) << "boxes of 8 pixels, .1 apart";
}

TEST(VerifyModels, SayNothingOfDetectionsWhereTheOutputsAreRight) {
  const auto line = verify_detector(0);
  EXPECT_EQ(line.outcome, VerifyReport::Line::Outcome::Passed) << line.detail;
  EXPECT_FALSE(line.detection_agreement);
}

}  // namespace
}  // namespace detent
