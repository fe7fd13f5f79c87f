// Models with sequences and optionals from file to file: verify, run, plan and quantize.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/base/npy_file.h"
#include "detent/base/error.h"
#include "detent/detent.h"
#include "model/list_types_text.h"
#include "model/model.h"
#include "model/temporary_folder.h"

#include <onnx/onnx-data_pb.h>

namespace detent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kHeader = "<ir_version: 8, opset_import: [\"\" : 17]> ";

fs::path write_text(const TemporaryFolder& folder, const std::string& text) {
  write_model(test::parse_list_types(kHeader + text), folder / "model.onnx");
  return folder / "model.onnx";
}

onnx::SequenceProto list_of(std::initializer_list<float> values) {
  onnx::SequenceProto list;
  list.set_elem_type(onnx::SequenceProto::TENSOR);
  for (const float value : values) {
    onnx::TensorProto* tensor = list.add_tensor_values();
    tensor->add_dims(1);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_float_data(value);
  }
  return list;
}

/// Verifies a model that passes on a list and keeps an optional of it, given and expected as here.
VerifyReport::Line verify_sequence(const onnx::SequenceProto& given, const onnx::OptionalProto& expected) {
  const TemporaryFolder folder;
  write_text(folder,
             "g (seq(float[N]) s) => (seq(float[N]) t, optional(seq(float[N])) o) "
             "{ t = Identity (s)  o = Optional (s) }");
  fs::create_directory(folder / "test_data_set_0");
  static_cast<void>(folder.write("test_data_set_0/input_0.pb", given.SerializeAsString()));
  static_cast<void>(folder.write("test_data_set_0/output_0.pb", list_of({1, 2}).SerializeAsString()));
  static_cast<void>(folder.write("test_data_set_0/output_1.pb", expected.SerializeAsString()));
  VerifyOptions options;
  options.folders = {folder.path()};
  options.run.threads = 1;
  return verify_models(options).lines.at(0);
}

onnx::OptionalProto optional_of(const onnx::SequenceProto& list) {
  onnx::OptionalProto optional;
  optional.set_elem_type(onnx::OptionalProto::SEQUENCE);
  *optional.mutable_sequence_value() = list;
  return optional;
}

TEST(SequenceModels, AreVerifiedElementByElement) {
  const auto good = verify_sequence(list_of({1, 2}), optional_of(list_of({1, 2})));
  EXPECT_EQ(good.outcome, VerifyReport::Line::Outcome::Passed) << good.detail;
  const auto other = verify_sequence(list_of({1, 3}), optional_of(list_of({1, 3})));
  EXPECT_EQ(other.outcome, VerifyReport::Line::Outcome::Failed);
  EXPECT_THAT(other.detail, HasSubstr("output 't': tensor 1 of the sequence"));
  onnx::OptionalProto none;
  none.set_elem_type(onnx::OptionalProto::UNDEFINED);
  const auto absent = verify_sequence(list_of({1, 2}), none);
  EXPECT_EQ(absent.outcome, VerifyReport::Line::Outcome::Failed);
  EXPECT_THAT(absent.detail, HasSubstr("output 'o': expected an absent optional"));
}

RunReport run(const TemporaryFolder& folder, const std::string& text) {
  RunOptions options;
  options.model = write_text(folder, text);
  options.output_folder = folder / "out";
  options.data.sources = {"random:normal,n=2"};
  options.run.threads = 1;
  return run_model(options);
}

TEST(SequenceModels, RunWritesTheTensorsOfAListOneByOne) {
  const TemporaryFolder folder;
  const RunReport report = run(folder,
                               "g (float[1,2] x) => (seq(float[1,1]) s, optional(float[1,2]) o, float[1,2] y) "
                               "{ s = SplitToSequence <axis = 1> (x)  o = Optional ()  y = Neg (x) }");
  EXPECT_THAT(report.written, ElementsAre(folder / "out" / "s", folder / "out" / "o", folder / "out" / "y.npy"));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder / "out" / "s")) names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::UnorderedElementsAre("000000_0.npy", "000000_1.npy", "000001_0.npy", "000001_1.npy"));
  EXPECT_TRUE(fs::is_empty(folder / "out" / "o"));
}

TEST(SequenceModels, RunRefusesAListAsInput) {
  const TemporaryFolder folder;
  const Error error = error_of<Error>(
      [&] { static_cast<void>(run(folder, "g (seq(float[1,2]) s) => (int64 n) { n = SequenceLength (s) }")); });
  EXPECT_EQ(error.code(), ErrorCode::Unsupported);
  EXPECT_THAT(error.what(), HasSubstr("input 's' is a sequence"));
}

/// Two convolutions with a list between them that a loop fills with parts of the first one's result.
const std::string kCollect = R"(g (float[1,4,6,6] x) => (float[1,8,6,6] y, seq(float[1,4,6,6]) list)
  <float[4,4,1,1] w = {WEIGHTS}, float[8,8,1,1] v = {MORE}, int64 m = {2}> {
  c = Conv (x, w)
  none = SequenceEmpty ()
  list = Loop (m, , none) <body = b (int64 i, bool going, seq(float[1,4,6,6]) s)
                                 => (bool on, seq(float[1,4,6,6]) longer) {
    on = Identity (going)
    longer = SequenceInsert (s, c)
  }>
  again = Identity (list)
  k = ConcatFromSequence <axis = 1> (again)
  y = Conv (k, v)
})";

std::string numbers(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(0.1 * (static_cast<double>(i * 7 % 11) - 5));
  return text;
}

std::string collecting_model() {
  std::string text = kCollect;
  text.replace(text.find("WEIGHTS"), 7, numbers(16));
  text.replace(text.find("MORE"), 4, numbers(64));
  return text;
}

TEST(SequenceModels, AreQuantizedAroundTheirLists) {
  for (const char* target : {"tensorrt", "onnxruntime"}) {
    const TemporaryFolder folder;
    QuantizeOptions options;
    options.model = write_text(folder, collecting_model());
    options.output = folder / "int8.onnx";
    options.data.sources = {"random:normal,n=4"};
    options.calibrator = "max";
    options.target = target;
    options.run.threads = 1;
    options.placement.quantize_outputs = std::string(target) == "tensorrt";
    const QuantizeReport report = quantize_model(options);
    ASSERT_TRUE(report.error.has_value());
    ASSERT_EQ(report.error->outputs.size(), 1u) << target;  // no measure for a list
    EXPECT_GT(report.error->outputs[0].sqnr_db, 20) << target;
    const Model quantized = read_model(options.output);
    for (const char* name : {"list", "again"}) {
      const Graph& graph = quantized.graph();
      const MaybeValue value = graph.find_value(name);
      ASSERT_NE(value, kNoValue) << name;
      for (const Use& use : graph.value(*value).uses) EXPECT_NE(graph.node(use.node).op_type, "QuantizeLinear") << name;
    }
  }
}

}  // namespace
}  // namespace detent
