#include "model/file/data_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "model/graph/stored_data.h"
#include "model/model.h"
#include "tests/model/onnx_protos.h"
#include "tests/model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WriteOptions kBeside{.overwrite = true, .external_data_above = 0};
constexpr WriteOptions kInside{.overwrite = true};

/// Makes a model with two weights of 8 kB, all bytes `letter`.
Model model_of(char letter) {
  Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float[1,4] x) => (float[1,4] y) { y = Relu (x) }");
  for (const char* name : {"first", "second"}) {
    onnx::TensorProto& tensor = *model.mutable_proto().mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(2000);
    tensor.set_raw_data(std::string(8000, letter));
  }
  return model;
}

/// Returns the letter of a model whose weights are all of one; '?' for a mix.
char letter_of(const fs::path& file) {
  const Model model = read_model(file);
  const auto& weights = model.proto().graph().initializer();
  const char letter = raw_bytes(weights[0])[0];
  for (const onnx::TensorProto& tensor : weights)
    if (raw_bytes(tensor) != std::string(8000, letter)) return '?';
  return letter;
}

TEST(DataFiles, EqualModelsAreEqualFilesAndOthersHaveOtherData) {
  const TemporaryFolder folder;
  write_model(model_of('a'), folder / "m.onnx", kBeside);
  const std::vector<std::string> first = folder.names();
  const std::string bytes = TemporaryFolder::read(folder / "m.onnx");
  write_model(model_of('a'), folder / "m.onnx", kBeside);
  EXPECT_EQ(folder.names(), first);
  EXPECT_EQ(TemporaryFolder::read(folder / "m.onnx"), bytes);
  write_model(model_of('b'), folder / "m.onnx", kBeside);
  EXPECT_THAT(folder.names(), SizeIs(2)) << "the data of the replaced model goes";
  EXPECT_NE(folder.names(), first);
}

TEST(DataFiles, AModelInOnePieceTakesTheDataOfTheOneItReplaces) {
  const TemporaryFolder folder;
  write_model(model_of('a'), folder / "m.onnx", kBeside);
  write_model(model_of('b'), folder / "m.onnx", kInside);
  EXPECT_THAT(folder.names(), ElementsAre("m.onnx"));
}

TEST(DataFiles, OnlyDataThatTheReplacedModelNamesGoes) {
  const TemporaryFolder folder;
  const std::vector<std::string> others{"m.onnx.data", "m.onnx.0123456789abcdef.data", "m.onnx.0123456789ABCDEF.data",
                                        "n.onnx.0123456789abcdef.data"};
  for (const std::string& name : others) folder.write(name, "another's");
  write_model(model_of('a'), folder / "m.onnx", kBeside);
  EXPECT_THAT(data_files_of(folder / "m.onnx"), SizeIs(1));
  EXPECT_THAT(data_files_of(folder / "m.onnx.data"), IsEmpty());
  EXPECT_THAT(data_files_of(folder / "none.onnx"), IsEmpty());
  write_model(model_of('b'), folder / "m.onnx", kInside);
  for (const std::string& name : others) EXPECT_EQ(TemporaryFolder::read(folder / name), "another's");
  EXPECT_THAT(folder.names(), SizeIs(others.size() + 1));
}

TEST(DataFiles, AFailureBetweenTheTwoNamesLeavesTheOldPair) {
  const TemporaryFolder folder;
  write_model(model_of('a'), folder / "m.onnx", kBeside);
  const std::vector<std::string> before = folder.names();
  WriteOptions keep = kBeside;
  keep.overwrite = false;
  EXPECT_THROW(write_model(model_of('b'), folder / "m.onnx", keep), Error);
  EXPECT_EQ(folder.names(), before);
  EXPECT_EQ(letter_of(folder / "m.onnx"), 'a');
  // As a kill leaves it: the new data under its name, the old model.
  const TemporaryFolder elsewhere;
  write_model(model_of('b'), elsewhere / "m.onnx", kBeside);
  for (const fs::path& data : data_files_of(elsewhere / "m.onnx")) fs::copy(data, folder.path());
  EXPECT_EQ(letter_of(folder / "m.onnx"), 'a');
  write_model(model_of('b'), folder / "m.onnx", kBeside);
  EXPECT_EQ(letter_of(folder / "m.onnx"), 'b');
  EXPECT_THAT(folder.names(), SizeIs(2)) << "what the kill left belongs to the new model now";
}

/// A process that writes models of `letters` in turn to `file` until it is killed.
pid_t start_writer(const fs::path& file, const std::string& letters, const WriteOptions& options) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const std::vector<Model> models = [&] {
    std::vector<Model> made;
    for (const char letter : letters) made.push_back(model_of(letter));
    return made;
  }();
  for (size_t i = 0;; ++i) write_model(models[i % models.size()], file, options);
}

ino_t inode_of(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

TEST(DataFiles, AKillAtAnyInstantLeavesAWholeModel) {
  std::mt19937 random(19);
  for (const WriteOptions& options : {kBeside, kInside}) {
    const TemporaryFolder folder;
    const fs::path file = folder / "m.onnx";
    write_model(model_of('a'), file, options);
    const ino_t first = inode_of(file);
    std::string seen;
    for (int kill = 0; kill < 60; ++kill) {
      const pid_t writer = start_writer(file, "bc", options);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
      while (kill == 59 && inode_of(file) == first) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ::kill(writer, SIGKILL);
      ::waitpid(writer, nullptr, 0);
      seen += letter_of(file);
    }
    EXPECT_EQ(seen.find('?'), std::string::npos) << seen;
    EXPECT_NE(seen.find_first_of("bc"), std::string::npos) << "no kill came after a write: " << seen;
  }
}

TEST(DataFiles, WritersAtTheSameTimeLeaveTheModelOfOne) {
  for (int round = 0; round < 5; ++round) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "shared");  // a temporary folder has one writer
    const fs::path file = folder / "shared/m.onnx";
    std::vector<pid_t> writers;
    for (const char* letters : {"ab", "bc", "ca"}) writers.push_back(start_writer(file, letters, kBeside));
    while (!fs::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (const pid_t writer : writers) ::kill(writer, SIGKILL);
    for (const pid_t writer : writers) ::waitpid(writer, nullptr, 0);
    EXPECT_THAT("abc", ::testing::HasSubstr(std::string(1, letter_of(file))));
  }
}

}  // namespace
}  // namespace detent
