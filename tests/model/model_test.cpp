#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "core/files/allowed_folders.h"
#include "detent/base/error.h"
#include "model/graph/stored_data.h"
#include "model/model.h"
#include "model/same_content.h"
#include "model/write_shown_model.h"
#include "tests/model/onnx_protos.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr const char* kText = R"(
<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 4] x) => (float[N, 4] y)
<float[4] bias = {1, 2, 3, 4}>
{
  a = Add (x, bias)
  y = Relu (a)
})";

Model sample() { return parse_model_text(kText); }

/// Returns the document with the weights that stay in files.
std::string serialised(const Model& model) {
  onnx::ModelProto proto = model.proto();
  for (onnx::TensorProto& tensor : *proto.mutable_graph()->mutable_initializer()) load_stored_data(tensor);
  return proto.SerializeAsString();
}

Error refusal(const fs::path& file) {
  Error error = error_of<Error>([&] { (void)read_model(file); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  EXPECT_THAT(error.what(), StartsWith(file.string() + ": "));
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line, please: " << error.what();
  return error;
}

/// Returns the sample with its bias moved to an external file.
onnx::ModelProto with_external_bias(const std::string& location, const std::string& offset = "0") {
  onnx::ModelProto proto = sample().proto();
  onnx::TensorProto& bias = *proto.mutable_graph()->mutable_initializer(0);
  bias.clear_float_data();
  bias.clear_raw_data();
  bias.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] :
       {std::pair<std::string, std::string>{"location", location}, {"offset", offset}, {"length", "16"}}) {
    bias.add_external_data()->set_key(key);
    bias.mutable_external_data(bias.external_data_size() - 1)->set_value(value);
  }
  return proto;
}

std::string four_floats() {
  const float values[] = {5, 6, 7, 8};
  return {reinterpret_cast<const char*>(values), sizeof values};
}

TEST(ReadModel, AMissingFileIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal(folder / "no.onnx").what(), HasSubstr("there is no such file"));
}

TEST(ReadModel, AFolderIsNotAModel) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal(folder.path()).what(), HasSubstr("is a folder"));
}

TEST(ReadModel, AnEmptyFileIsCalledEmpty) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal(folder.write("m.onnx", "")).what(), HasSubstr("empty"));
}

TEST(ReadModel, GarbageIsRefusedWithoutNoiseOnStderr) {
  const TemporaryFolder folder;
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(refusal(folder.write("m.onnx", std::string(300, '\xff'))).what(), HasSubstr("not an ONNX model"));
  refusal(folder.write("t.onnx", "this is a text file, not a model\n"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(ReadModel, NoTruncationIsTakenForAModel) {
  const TemporaryFolder folder;
  const std::string bytes = serialised(sample());
  ::testing::internal::CaptureStderr();
  for (size_t length = 0; length < bytes.size(); ++length) refusal(folder.write("m.onnx", bytes.substr(0, length)));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_NO_THROW((void)read_model(folder.write("m.onnx", bytes)));
}

TEST(ReadModel, FlippedBytesNeverDoWorseThanAnError) {
  const TemporaryFolder folder;
  const std::string bytes = serialised(sample());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const fs::path file = folder.write("m.onnx", damaged);
    try {
      (void)read_model(file).graph();
    } catch (const Error& error) {
      EXPECT_THAT(error.code(), ::testing::AnyOf(ErrorCode::InvalidModel, ErrorCode::Unsupported)) << error.what();
    }
  }
}

TEST(ReadModel, APointerOfLargeFileStorageIsExplained) {
  const TemporaryFolder folder;
  const Error error =
      refusal(folder.write("m.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"));
  EXPECT_THAT(error.what(), HasSubstr("Git LFS"));
  EXPECT_THAT(error.hint(), HasSubstr("git lfs pull"));
}

TEST(ReadModel, OpsetsAboveTwentyEightAreRefused) {
  const TemporaryFolder folder;
  onnx::ModelProto proto = sample().proto();
  proto.mutable_opset_import(0)->set_version(29);
  EXPECT_THAT(refusal(folder.write("m.onnx", proto.SerializeAsString())).what(), HasSubstr("opset 29"));
}

/// Below opset 7 the slopes of a PRelu count channels; from 7 on they broadcast from the last axis.
TEST(ReadModel, OpsetsBelowSevenAreConverted) {
  const Model model = parse_model_text(
      "<ir_version: 3, opset_import: [\"\" : 6]> g (float[1,2,3,3] x, float[2] s) => (float[1,2,3,3] y) "
      "<float[2] s = {2, 3}> { y = PRelu (x, s) }");
  EXPECT_EQ(model.graph().opset(), 7);
  EXPECT_EQ(model.graph().constant(*model.graph().find_value("s"))->shape(), Shape({2, 1, 1}));
}

TEST(ReadModel, AnOldOperatorWithoutConversionIsNamed) {
  try {
    static_cast<void>(parse_model_text(
        "<ir_version: 3, opset_import: [\"\" : 6]> g (float[N] x) => (float[N] y) { y = NoSuchOperator (x) }"));
    FAIL() << "converted an unknown operator";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Unsupported);
    EXPECT_THAT(error.what(), HasSubstr("opset 6"));
  }
}

// The checker reads no file of a newer IR version, and the converter assumes the inputs.
TEST(ReadModel, AnOldOperatorWithoutItsInputsIsNamedWhateverTheIrVersion) {
  for (const char* ir : {"3", "29"}) {
    SCOPED_TRACE(ir);
    try {
      static_cast<void>(parse_model_text(std::string("<ir_version: ") + ir +
                                         ", opset_import: [\"\" : 5]> g (float[2] x) => (float[2] y) { y = Div (x) }"));
      FAIL() << "divided by nothing";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
      EXPECT_THAT(error.what(), HasSubstr("Div"));
    }
  }
  EXPECT_NO_THROW(static_cast<void>(parse_model_text(
      "<ir_version: 29, opset_import: [\"\" : 5]> g (float[2] x) => (float[2] y) { y = Div (x, x) }")));
}

TEST(ReadModel, NewerOpsetsAndIrVersionsThanLibonnxKnowsAreRead) {
  const TemporaryFolder folder;
  onnx::ModelProto proto = sample().proto();
  proto.set_ir_version(13);
  proto.mutable_opset_import(0)->set_version(28);
  const Model model = read_model(folder.write("m.onnx", proto.SerializeAsString()));
  EXPECT_EQ(model.ir_version(), 13);
  EXPECT_EQ(model.graph().opset(), 28);
}

TEST(ReadBack, AsksTheOnnxCheckerOfWhatWasWrittenWhereItKnowsTheOpset) {
  const TemporaryFolder folder;
  onnx::ModelProto proto = sample().proto();
  EXPECT_EQ(serialised(read_back(folder.write("m.onnx", proto.SerializeAsString()))), proto.SerializeAsString());
  proto.mutable_graph()->mutable_node(1)->add_input("x");  // Relu takes one
  const std::filesystem::path wrong = folder.write("m.onnx", proto.SerializeAsString());
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(read_back(wrong)); }).what(), HasSubstr("checker"));
  EXPECT_EQ(read_model(wrong).graph().node(NodeId{1}).inputs.size(), 2U)
      << "signatures are asked when operators are known";
}

TEST(ReadModel, AnUnknownOperatorIsLeftToWhoeverRunsTheModel) {
  const TemporaryFolder folder;
  onnx::ModelProto proto = sample().proto();
  proto.mutable_graph()->mutable_node(1)->set_op_type("Frobnicate");
  EXPECT_EQ(read_model(folder.write("m.onnx", proto.SerializeAsString())).graph().node(NodeId{1}).op_type,
            "Frobnicate");
}

TEST(ReadModel, AGraphWithoutANameIsFineAndStaysSo) {
  const TemporaryFolder folder;
  onnx::ModelProto proto = sample().proto();
  proto.mutable_graph()->clear_name();
  EXPECT_EQ(serialised(read_model(folder.write("m.onnx", proto.SerializeAsString()))), proto.SerializeAsString());
}

TEST(ExternalData, StaysInItsFile) {
  const TemporaryFolder folder;
  folder.write("weights.bin", std::string(32, '\0') + four_floats());
  const fs::path file = folder.write("m.onnx", with_external_bias("weights.bin", "32").SerializeAsString());
  const Model model = read_model(file);
  EXPECT_THAT(model.graph().constant(*model.graph().find_value("bias"))->data<float>(), ElementsAre(5, 6, 7, 8));
  EXPECT_TRUE(has_stored_data(model.proto().graph().initializer(0)));
}

TEST(ExternalData, MissingOrTooShortIsSaidWithTheTensorsName) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.onnx", with_external_bias("weights.bin").SerializeAsString());
  EXPECT_THAT(refusal(file).what(), AllOf(HasSubstr("'bias'"), HasSubstr("'weights.bin' is missing")));
  folder.write("weights.bin", "short");
  EXPECT_THAT(refusal(file).what(), AllOf(HasSubstr("'bias'"), HasSubstr("too short")));
}

TEST(ExternalData, OutsideTheModelsFolderIsRefused) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "inner");
  folder.write("secret.bin", four_floats());
  for (const std::string& location :
       {std::string("../secret.bin"), (folder / "secret.bin").string(), std::string("a/../../secret.bin")})
    EXPECT_THAT(refusal(folder.write("inner/m.onnx", with_external_bias(location).SerializeAsString())).what(),
                HasSubstr("outside"));
  fs::create_symlink(folder / "secret.bin", folder / "inner/link.bin");
  EXPECT_THAT(refusal(folder.write("inner/m.onnx", with_external_bias("link.bin").SerializeAsString())).what(),
              HasSubstr("outside"));
}

TEST(ExternalData, AnAllowedFolderHoldsItAndItsNeighbourDoesNot) {
  const TemporaryFolder folder;
  for (const char* name : {"inner", "store", "store2"}) fs::create_directory(folder / name);
  for (const char* name : {"store/w.bin", "store2/w.bin"}) folder.write(name, four_floats());
  const auto model_at = [&](const std::string& location) {
    return folder.write("inner/m.onnx", with_external_bias(location).SerializeAsString());
  };
  allow_folder(folder / "store");
  EXPECT_NO_THROW((void)read_model(model_at("../store/w.bin")));
  EXPECT_NO_THROW((void)read_model(model_at((folder / "store/w.bin").string())));
  for (const char* location : {"../store2/w.bin", "../store/../store2/w.bin"})
    EXPECT_THAT(refusal(model_at(location)).hint(), HasSubstr("--allow-external"));
  EXPECT_THAT(refusal(model_at("../store/none.bin")).what(), HasSubstr("is missing"));
  forget_allowed_folders();
  EXPECT_THAT(refusal(model_at("../store/w.bin")).what(), HasSubstr("outside"));
  EXPECT_EQ(error_of<Error>([&] { allow_folder(folder / "nowhere"); }).code(), ErrorCode::Usage);
}

TEST(ExternalData, LinksThatLeadBesideTheRealModelAreFollowed) {
  const TemporaryFolder folder;  // the way download caches keep their files
  for (const char* name : {"store", "view"}) fs::create_directory(folder / name);
  folder.write("store/1", with_external_bias("weights.bin").SerializeAsString());
  folder.write("store/2", four_floats());
  fs::create_symlink(folder / "store/1", folder / "view/m.onnx");
  fs::create_symlink(folder / "store/2", folder / "view/weights.bin");
  EXPECT_NO_THROW((void)read_model(folder / "view/m.onnx"));
}

TEST(WriteModel, WhatIsWrittenReadsBackTheSame) {
  const TemporaryFolder folder;
  onnx::ModelProto proto = sample().proto();
  proto.set_producer_name("another producer");
  proto.mutable_graph()->set_doc_string("a note");
  proto.mutable_unknown_fields()->AddVarint(1234, 5);  // a field of a later ONNX
  const Model model = read_model(folder.write("in.onnx", proto.SerializeAsString()));
  write_model(model, folder / "out.onnx");
  EXPECT_EQ(TemporaryFolder::read(folder / "out.onnx"), proto.SerializeAsString());
  EXPECT_THAT(folder.names(), ElementsAre("in.onnx", "out.onnx"));
}

TEST(WriteModel, AnExistingFileIsReplacedOnlyWhenAsked) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.onnx", "precious");
  const Error error = error_of<Error>([&] { write_model(sample(), file); });
  EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
  EXPECT_THAT(error.hint(), HasSubstr("--overwrite"));
  EXPECT_EQ(TemporaryFolder::read(file), "precious");
  WriteOptions options;
  options.overwrite = true;
  write_model(sample(), file, options);
  EXPECT_NO_THROW((void)read_model(file));
}

TEST(WriteModel, NothingButRegularFilesIsReplaced) {
  WriteOptions options;
  options.overwrite = true;
  const Error error = error_of<Error>([&] { write_model(sample(), "/dev/null", options); });
  EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(WriteModel, AMissingFolderIsNamed) {
  const TemporaryFolder folder;
  const Error error = error_of<Error>([&] { write_model(sample(), folder / "no" / "m.onnx"); });
  EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
  EXPECT_THAT(error.what(), HasSubstr((folder / "no").string()));
}

/// Every write beyond a few bytes fails, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(WriteModel, AFailedWriteLeavesTheFolderAsItWas) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.onnx", "precious");
  WriteOptions options;
  options.overwrite = true;
  for (const uint64_t external_above : {uint64_t{0}, uint64_t{1} << 30}) {
    options.external_data_above = external_above;
    const FullDisk full(64);
    const Error error = error_of<Error>([&] { write_model(sample(), file, options); });
    EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
  }
  EXPECT_THAT(folder.names(), ElementsAre("m.onnx"));
  EXPECT_EQ(TemporaryFolder::read(file), "precious");
}

TEST(WriteShownModel, ShowsTheWholeFileBeforeItHasItsNameAndLeavesNothingWhereThatIsRefused) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.onnx", "precious");
  for (const uint64_t external_above : {uint64_t{0}, uint64_t{1} << 30}) {
    const WriteOptions options{.overwrite = true, .external_data_above = external_above};
    const auto refuse = [&](const fs::path& written) {
      EXPECT_TRUE(same_content(sample(), read_model(written)));
      EXPECT_EQ(TemporaryFolder::read(file), "precious");
      throw Error(ErrorCode::Internal, "refused");
    };
    EXPECT_EQ(error_of<Error>([&] { write_shown_model(sample(), file, options, refuse); }).code(), ErrorCode::Internal);
    EXPECT_THAT(folder.names(), ElementsAre("m.onnx"));
    EXPECT_EQ(TemporaryFolder::read(file), "precious");
  }
  write_shown_model(sample(), file, {.overwrite = true}, [](const fs::path&) {});
  EXPECT_TRUE(same_content(sample(), read_model(file)));
}

TEST(WriteModel, LargeModelsPutTheirWeightsBesideThem) {
  const TemporaryFolder folder;
  Model model = sample();
  for (const char* name : {"first", "second"}) {
    onnx::TensorProto& tensor = *model.mutable_proto().mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(1000);
    tensor.set_raw_data(std::string(4000, name[0]));
  }
  const std::string before = serialised(model);
  WriteOptions options;
  options.external_data_above = 5000;
  write_model(model, folder / "m.onnx", options);
  EXPECT_THAT(folder.names(), ElementsAre("m.onnx", MatchesRegex("m\\.onnx\\.[0-9a-f]+\\.data")));
  EXPECT_LT(fs::file_size(folder / "m.onnx"), 1000U);
  EXPECT_EQ(serialised(model), before) << "writing must not change the model";
  EXPECT_EQ(serialised(read_model(folder / "m.onnx")), before);
  const Error error = error_of<Error>([&] { write_model(model, folder / "m.onnx", options); });
  EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
}

TEST(Model, AClonesChangesDoNotReachTheOriginal) {
  const Model model = sample();
  Model copy = model.clone();
  copy.mutable_proto().mutable_graph()->mutable_node(0)->set_name("renamed");
  EXPECT_EQ(copy.graph().node(NodeId{0}).name, "renamed");
  EXPECT_EQ(model.graph().node(NodeId{0}).name, "Add_0");
}

}  // namespace
}  // namespace detent
