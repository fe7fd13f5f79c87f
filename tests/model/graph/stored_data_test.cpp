#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "core/files/mapped_file.h"
#include "detent/base/error.h"
#include "model/fingerprint.h"
#include "model/graph/stored_data.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "tests/model/onnx_protos.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int64_t kElements = 3000;  // 12 000 bytes: more than what is read with the nodes

std::string counting_bytes() {
  std::vector<float> values(kElements);
  std::iota(values.begin(), values.end(), 1.0F);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// Makes y = x + w. `padding` bytes of documentation shift where the data of w lies in the file.
onnx::ModelProto large(size_t padding = 0) {
  onnx::ModelProto proto = parse_model_text(
                               "<ir_version: 7, opset_import: [\"\" : 13]> g (float[3000] x) => (float[3000] y) "
                               "<float[1] w = {4}> { y = Add (x, w) }")
                               .proto();
  onnx::TensorProto& w = *proto.mutable_graph()->mutable_initializer(0);
  w.clear_float_data();
  w.set_dims(0, kElements);
  w.set_raw_data(counting_bytes());
  proto.mutable_graph()->set_name(std::string(padding, 'g') + "raph");
  proto.set_doc_string("fields behind the graph stay behind it");
  return proto;
}

const onnx::TensorProto& weights_of(const Model& model) { return model.proto().graph().initializer(0); }

const Tensor& content_of(const Model& model) { return *model.graph().constant(*model.graph().find_value("w")); }

void expect_counting(const Model& model) {
  const std::span<const float> values = content_of(model).data<float>();
  ASSERT_EQ(values.size(), static_cast<size_t>(kElements));
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(i + 1)) << i;
}

/// Raw data lies in a file at any offset: data that cannot be read in place is copied when it is read.
TEST(StoredWeights, AreReadFromTheFileAtEveryAlignment) {
  const TemporaryFolder folder;
  for (size_t padding = 0; padding < 4; ++padding) {
    const fs::path file = folder.write("m.onnx", large(padding).SerializeAsString());
    const Model model = read_model(file);
    EXPECT_TRUE(has_stored_data(weights_of(model)));
    EXPECT_TRUE(weights_of(model).raw_data().empty());
    expect_counting(model);
  }
}

TEST(StoredWeights, SmallOnesBelongToTheDocument) {
  const TemporaryFolder folder;
  onnx::ModelProto proto = large();
  proto.mutable_graph()->mutable_initializer(0)->set_dims(0, 3);
  proto.mutable_graph()->mutable_initializer(0)->mutable_raw_data()->resize(12);
  const Model model = read_model(folder.write("m.onnx", proto.SerializeAsString()));
  EXPECT_FALSE(has_stored_data(weights_of(model)));
}

TEST(StoredWeights, AreWrittenAsTheyWereRead) {
  const TemporaryFolder folder;
  const std::string bytes = large().SerializeAsString();
  const Model model = read_model(folder.write("m.onnx", bytes));
  EXPECT_EQ(model.byte_size() / 100, bytes.size() / 100);  // the reference to the file takes some bytes itself
  write_model(model, folder / "copy.onnx");
  EXPECT_EQ(TemporaryFolder::read(folder / "copy.onnx"), bytes);
  expect_counting(model);  // and the document is what it was
}

TEST(StoredWeights, GoIntoADataFileAndComeBack) {
  const TemporaryFolder folder;
  const std::string bytes = large().SerializeAsString();
  const Model model = read_model(folder.write("m.onnx", bytes));
  write_model(model, folder / "parted.onnx", {.overwrite = false, .external_data_above = 1000});
  EXPECT_LT(fs::file_size(folder / "parted.onnx"), 1000U);
  const Model parted = read_model(folder / "parted.onnx");
  EXPECT_TRUE(has_stored_data(weights_of(parted)));
  expect_counting(parted);
  write_model(parted, folder / "joined.onnx");
  EXPECT_EQ(TemporaryFolder::read(folder / "joined.onnx"), bytes);
}

/// The fingerprint depends on the content of the file, not on how it is stored.
TEST(StoredWeights, HaveTheFingerprintOfThoseInMemory) {
  const TemporaryFolder folder;
  const Model stored = read_model(folder.write("m.onnx", large(1).SerializeAsString()));
  const Model held(std::make_unique<onnx::ModelProto>(large(1)));
  ASSERT_FALSE(has_stored_data(weights_of(held)));
  EXPECT_EQ(fingerprint(stored), fingerprint(held));
}

TEST(StoredWeights, OutliveTheFirstModelAndTheFilesName) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.onnx", large().SerializeAsString());
  auto first = std::make_unique<Model>(read_model(file));
  const Model second = first->clone();
  first.reset();
  fs::rename(folder.write("other", "something else"), file);
  expect_counting(second);
}

TEST(StoredWeights, LeaveMemoryWithTheirLastModel) {
  const TemporaryFolder folder;
  uint64_t number = 0;
  {
    const std::shared_ptr<const MappedFile> file = MappedFile::open(folder.write("f", "bytes"));
    number = file->number();
    EXPECT_EQ(MappedFile::find(number), file);
  }
  EXPECT_EQ(MappedFile::find(number), nullptr);
}

constexpr int64_t kMebi = int64_t{1} << 18;  // floats: 1 MiB, from where weights that were made anew are shared

Tensor counted_from(float first, int64_t elements) {
  std::vector<float> values(static_cast<size_t>(elements));
  std::iota(values.begin(), values.end(), first);
  return Tensor::from<float>(Shape{elements}, std::span<const float>(values));
}

/// Makes y = x + w, where w is `tensor`.
Model with_weight(Tensor tensor) {
  const std::string extent = std::to_string(tensor.element_count());
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g (float[" + extent + "] x) => (float[" +
                                 extent + "] y) <float[1] w = {4}> { y = Add (x, w) }");
  apply_patch(model, {.reason = "", .replace_constants = {{"w", std::move(tensor)}}});
  return model;
}

TEST(SharedWeights, ModelsOfOnePatchLookIntoOneMemory) {
  const Tensor weight = shared_by_models(counted_from(1, kMebi));
  const Model one = with_weight(weight), other = with_weight(weight);
  EXPECT_EQ(content_of(one).raw(), weight.raw());
  EXPECT_EQ(content_of(other).raw(), weight.raw());
  EXPECT_TRUE(weights_of(one).raw_data().empty());
}

TEST(SharedWeights, SmallOnesAndThoseOfOthersAreCopied) {
  const Tensor small = shared_by_models(counted_from(1, kMebi - 1)), own = counted_from(1, kMebi);
  EXPECT_NE(content_of(with_weight(small)).raw(), small.raw());
  EXPECT_NE(content_of(with_weight(own)).raw(), own.raw());
}

TEST(SharedWeights, LiveAsLongAsAModelAndNoLonger) {
  uint64_t number = 0;
  {
    std::optional<Model> model;
    {
      const Tensor weight = shared_by_models(counted_from(1, kMebi));
      number = MappedFile::holding(weight.raw(), weight.byte_count())->number();
      model.emplace(with_weight(weight).clone());
    }
    EXPECT_EQ(content_of(*model).data<float>().back(), static_cast<float>(kMebi));
    apply_patch(*model, {.reason = "", .replace_constants = {{"w", shared_by_models(counted_from(2, kMebi))}}});
    EXPECT_EQ(MappedFile::find(number), nullptr) << "the model holds what it replaced";
    EXPECT_EQ(content_of(*model).data<float>().front(), 2.0F);
    number = file_of(weights_of(*model))->number();
  }
  EXPECT_EQ(MappedFile::find(number), nullptr);
}

/// Pages of a file may be thrown away, memory may not.
TEST(SharedWeights, KeepTheirContentWhenPagesAreLetGo) {
  const Model model = with_weight(shared_by_models(counted_from(1, kMebi)));
  let_go_of_pages(content_of(model).raw(), content_of(model).byte_count());
  EXPECT_EQ(content_of(model).data<float>().back(), static_cast<float>(kMebi));
}

TEST(SharedWeights, AreWrittenAsCopiedOnesAre) {
  const TemporaryFolder folder;
  write_model(with_weight(shared_by_models(counted_from(1, kMebi))), folder / "shared.onnx");
  write_model(with_weight(counted_from(1, kMebi)), folder / "copied.onnx");
  EXPECT_EQ(TemporaryFolder::read(folder / "shared.onnx"), TemporaryFolder::read(folder / "copied.onnx"));
}

TEST(SharedWeights, APatchThatFailsLeavesTheModelAsItWas) {
  Model model = with_weight(shared_by_models(counted_from(1, kMebi)));
  EXPECT_THROW(
      apply_patch(model, {.reason = "", .add_initializers = {{"w", shared_by_models(counted_from(5, kMebi))}}}), Error);
  EXPECT_EQ(content_of(model).data<float>().front(), 1.0F);
}

/// A file cannot point into memory with keys that only this process may write.
TEST(StoredWeights, AFileThatClaimsToBeMappedIsRefused) {
  const TemporaryFolder folder;
  onnx::ModelProto proto = large();
  const Model model = read_model(folder.write("honest.onnx", proto.SerializeAsString()));
  *proto.mutable_graph()->mutable_initializer(0) = weights_of(model);
  const Error error = error_of<Error>([&] { (void)read_model(folder.write("m.onnx", proto.SerializeAsString())); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  EXPECT_THAT(error.what(), HasSubstr("without a location"));
}

TEST(StoredWeights, DataThatDoesNotFillTheShapeIsRefused) {
  const TemporaryFolder folder;
  onnx::ModelProto proto = large();
  proto.mutable_graph()->mutable_initializer(0)->set_dims(0, kElements + 1);
  const Error error = error_of<Error>([&] { (void)read_model(folder.write("m.onnx", proto.SerializeAsString())); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  EXPECT_THAT(error.what(), HasSubstr("needs 12004 bytes but holds 12000"));
}

/// Protobuf joins a repeated field: such a file is parsed as a whole.
TEST(StoredWeights, AGraphInTwoPiecesIsOneGraph) {
  const TemporaryFolder folder;
  onnx::ModelProto head = large(), tail;
  tail.mutable_graph()->Swap(head.mutable_graph());
  onnx::ModelProto weights;
  weights.mutable_graph()->mutable_initializer()->Swap(tail.mutable_graph()->mutable_initializer());
  const Model model = read_model(
      folder.write("m.onnx", head.SerializePartialAsString() + tail.SerializeAsString() + weights.SerializeAsString()));
  EXPECT_FALSE(has_stored_data(weights_of(model)));
  expect_counting(model);
}

TEST(StoredWeights, NoTruncationIsTakenForAModel) {
  const TemporaryFolder folder;
  const std::string bytes = large().SerializeAsString();
  for (size_t length = 1; length < bytes.size(); length += length < 300 || length + 100 > bytes.size() ? 1 : 97)
    EXPECT_THROW((void)read_model(folder.write("m.onnx", bytes.substr(0, length))), Error) << length;
}

}  // namespace
}  // namespace detent
