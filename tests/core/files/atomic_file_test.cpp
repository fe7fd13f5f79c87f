#include "core/files/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

constexpr bool kKeep = false, kOverwrite = true;

size_t files_in(const TemporaryFolder& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

ErrorCode code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{0};
}

// A rename would replace the device by a file.
TEST(AtomicFile, WritesToWhatIsNoFileInsteadOfReplacingIt) {
  const TemporaryFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  check_writable(pipe, kKeep);
  write_file(pipe, "through");
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(AtomicFile, ReplacesWhatALinkPointsAt) {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  std::filesystem::create_symlink("file", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(TemporaryFolder::read(folder / "file"), "new");
}

TEST(AtomicFile, AppearsWithAllItsContentWhenCommitted) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a");
  file.write("one");
  file.write("two");
  EXPECT_EQ(file.size(), 6U);
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  file.commit();
  EXPECT_EQ(TemporaryFolder::read(folder / "a"), "onetwo");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(AtomicFile, LeavesNothingWithoutACommit) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a");
    file.write("half of");
    file.sync();
    EXPECT_EQ(files_in(folder), 1U) << "the temporary file";
  }
  EXPECT_EQ(files_in(folder), 0U);
}

TEST(AtomicFile, LeavesAFileThatAppearedMeanwhileUnlessItMayReplaceIt) {
  const TemporaryFolder folder;
  AtomicFile careful(folder / "a", kKeep), bold(folder / "a", kOverwrite);
  careful.write("careful");
  bold.write("bold");
  std::ofstream(folder / "a") << "mine";
  EXPECT_EQ(code_of([&] { careful.commit(); }), ErrorCode::CannotWrite);
  EXPECT_EQ(TemporaryFolder::read(folder / "a"), "mine");
  bold.commit();
  EXPECT_EQ(TemporaryFolder::read(folder / "a"), "bold");
}

TEST(AtomicFile, WritesAtAnyOffsetAndReadsBack) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a");
  file.write_at(4, "rest");
  file.write_at(0, "head");
  std::array<char, 4> middle{};
  file.read_back(2, middle);
  EXPECT_EQ(std::string_view(middle.data(), middle.size()), "adre");
  EXPECT_EQ(code_of([&] { file.read_back(6, middle); }), ErrorCode::CannotWrite);
  file.commit();
  EXPECT_EQ(TemporaryFolder::read(folder / "a"), "headrest");
}

TEST(AtomicFile, NamesTheFileThatCannotBeWritten) {
  const TemporaryFolder folder;
  try {
    write_file(folder / "none" / "a", "text");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
    EXPECT_NE(std::string(error.what()).find("none/a: cannot be written: No such file or directory"), std::string::npos)
        << error.what();
  }
}

TEST(WriteFile, ReplacesWhatIsThere) {
  const TemporaryFolder folder;
  write_file(folder / "a", "a longer text");
  write_file(folder / "a", "short");
  write_file(folder / "empty", "");
  EXPECT_EQ(TemporaryFolder::read(folder / "a"), "short");
  EXPECT_EQ(TemporaryFolder::read(folder / "empty"), "");
  EXPECT_EQ(files_in(folder), 2U);
}

TEST(CheckWritable, RefusesWhatCouldNotBeWrittenInTheEnd) {
  const TemporaryFolder folder;
  folder.write("there", "");
  EXPECT_EQ(code_of([&] { check_writable(folder / "new", kKeep); }), ErrorCode{0});
  EXPECT_EQ(code_of([&] { check_writable(folder / "there", kOverwrite); }), ErrorCode{0});
  EXPECT_EQ(code_of([&] { check_writable(folder / "there", kKeep); }), ErrorCode::CannotWrite);
  EXPECT_EQ(code_of([&] { check_writable(folder / "none" / "new", kKeep); }), ErrorCode::CannotWrite);
  EXPECT_EQ(code_of([&] { check_writable(folder.path(), kOverwrite); }), ErrorCode::CannotWrite);
}

}  // namespace
}  // namespace detent
