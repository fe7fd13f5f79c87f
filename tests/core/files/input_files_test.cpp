#include "core/files/input_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "core/files/atomic_file.h"
#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

InputFiles::Source reads(const std::string& reader, std::vector<fs::path> files) {
  return {reader, [files = std::move(files)] { return files; }};
}

/// Returns the message of a refusal; "" where `action` succeeds.
std::string write_refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
    return error.what();
  }
  return "";
}

TEST(InputFiles, AreKnownUnderEveryName) {
  const TemporaryFolder folder;
  folder.write("w.bin", "weights");
  folder.write("same.bin", "weights");
  fs::create_directory(folder / "sub");
  fs::create_symlink("w.bin", folder / "soft");
  fs::create_hard_link(folder / "w.bin", folder / "hard");
  const InputFiles inputs({reads("MODEL", {folder / "none", folder / "w.bin"})});
  for (const char* name : {"w.bin", "./w.bin", "sub/../w.bin", "soft", "hard"}) {
    const std::string said = write_refusal([&] { check_writable(folder / name); });
    EXPECT_NE(said.find("which MODEL reads"), std::string::npos) << name << ": " << said;
  }
  EXPECT_EQ(write_refusal([&] { check_writable(folder / "same.bin"); }), "") << "an equal file is another file";
  EXPECT_EQ(write_refusal([&] { check_writable(folder / "new"); }), "");
  EXPECT_EQ(write_refusal([&] { check_writable("/dev/null"); }), "");
}

// The check before the work cannot see a name that appears meanwhile.
TEST(InputFiles, AreCheckedAgainBeforeTheRename) {
  const TemporaryFolder folder;
  folder.write("w.bin", "weights");
  const InputFiles inputs({reads("MODEL", {folder / "w.bin"})});
  AtomicFile output(folder / "out");
  output.write("new");
  fs::create_hard_link(folder / "w.bin", folder / "out");
  EXPECT_NE(write_refusal([&] { output.commit(); }), "");
  EXPECT_EQ(TemporaryFolder::read(folder / "w.bin"), "weights");
}

TEST(InputFiles, OfAFolderAreAllExceptOutputsAndHiddenOnes) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "data/sub");
  fs::create_symlink("..", folder / "data/sub/loop");
  for (const char* name : {"data/sub/a.png", "data/page.html", "data/.hidden", "beside.png"}) folder.write(name, "");
  const InputFiles inputs({reads("--data", {folder / "data"})});
  EXPECT_NE(write_refusal([&] { write_file(folder / "data/sub/a.png", ""); }), "");
  EXPECT_NE(write_refusal([&] { make_folder(folder / "data"); }), "");
  EXPECT_EQ(write_refusal([&] { write_file(folder / "data/page.html", ""); }), "");
  EXPECT_EQ(write_refusal([&] { write_file(folder / "data/.hidden", ""); }), "");
  EXPECT_EQ(write_refusal([&] { write_file(folder / "beside.png", ""); }), "");
}

TEST(InputFiles, OfOneCommandAreOutputsOfTheNext) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  {
    const InputFiles outer({reads("MODEL", {folder / "a"})});
    { const InputFiles inner({reads("MODEL", {folder / "a"})}); }
    EXPECT_NE(write_refusal([&] { write_file(folder / "a", "new"); }), "");
  }
  write_file(folder / "a", "new");
  EXPECT_EQ(TemporaryFolder::read(folder / "a"), "new");
}

TEST(InputFiles, AreLookedForOnceAndOnlyForAnOutputThatExists) {
  const TemporaryFolder folder;
  folder.write("other", "");
  int calls = 0;
  const InputFiles inputs({{"--data", [&] {
                              ++calls;
                              throw Error(ErrorCode::InvalidData, "the list cannot be read");
                              return std::vector<fs::path>{};
                            }}});
  check_writable(folder / "new");
  EXPECT_EQ(calls, 0);
  check_writable(folder / "other");
  check_writable(folder / "other");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace detent
