#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "detent/detent.h"
#include "model/list_types_text.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

/// What verify says of a folder with that model and an input file that holds no tensor.
VerifyReport::Line verify_text(const std::string& text) {
  const TemporaryFolder folder;
  write_model(test::parse_list_types(text), folder.path() / "model.onnx");
  std::filesystem::create_directory(folder.path() / "test_data_set_0");
  std::ofstream(folder.path() / "test_data_set_0" / "input_0.pb") << "no tensor";
  VerifyOptions options;
  options.folders = {folder.path()};
  options.run.threads = 1;
  return verify_models(options).lines.at(0);
}

TEST(VerifyModels, CallsWhatCannotRunUnsupportedBeforeItReadsData) {
  const auto unknown = verify_text(
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x) => (float[2] y) { y = NoSuchOperator (x) }");
  EXPECT_EQ(unknown.outcome, VerifyReport::Line::Outcome::Unsupported) << unknown.detail;
  const auto complex = verify_text(
      "<ir_version: 8, opset_import: [\"\" : 14]> g (complex64[2] x) => (complex64[2] y) { y = Identity (x) }");
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
