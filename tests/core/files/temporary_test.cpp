#include "core/files/temporary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "detent/base/error.h"

namespace detent {
namespace {

/// Sets TMPDIR while this object lives.
class TemporaryRoot {
 public:
  explicit TemporaryRoot(const std::string& folder) {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryRoot() {
    if (before_)
      ::setenv("TMPDIR", before_->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
  }
  TemporaryRoot(const TemporaryRoot&) = delete;
  TemporaryRoot& operator=(const TemporaryRoot&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(Temporary, SaysThatTmpdirIsNotThere) {
  const std::filesystem::path folder = make_temporary_folder("root");
  {
    const TemporaryRoot root((folder / "none").string());
    for (const auto& make :
         {+[] { static_cast<void>(make_temporary_folder("x")); }, +[] { static_cast<void>(open_temporary_file()); }}) {
      try {
        make();
        ADD_FAILURE() << "made in a folder that is not there";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::CannotWrite);
        EXPECT_THAT(error.what(), ::testing::HasSubstr("TMPDIR is '" + (folder / "none").string() + "'"));
        EXPECT_THAT(error.hint(), ::testing::HasSubstr("TMPDIR"));
      }
    }
  }
  const TemporaryRoot root(folder.string());
  const int descriptor = open_temporary_file();
  EXPECT_GE(descriptor, 0);
  ::close(descriptor);
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "a file without a name";
  remove_temporary_folder(folder);
}

TEST(Temporary, TheNextFolderRemovesThoseOfKilledProcesses) {
  const std::filesystem::path root_folder = make_temporary_folder("root");
  const TemporaryRoot root(root_folder.string());
  std::filesystem::path dead, living = make_temporary_folder("living");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  if (const pid_t child = ::fork(); child == 0) {
    const std::string made = make_temporary_folder("dead").string();
    if (::write(ends[1], made.data(), made.size()) < 0) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  } else {
    ::waitpid(child, nullptr, 0);
  }
  char name[256] = {};
  ASSERT_GT(::read(ends[0], name, sizeof name - 1), 0);
  dead = name;
  const std::filesystem::path foreign = root_folder / "detent_notes_of_the_user";
  std::filesystem::create_directory(foreign);
  EXPECT_TRUE(std::filesystem::exists(dead));
  const std::filesystem::path next = make_temporary_folder("next");
  EXPECT_FALSE(std::filesystem::exists(dead));
  for (const auto& kept : {living, foreign, next}) EXPECT_TRUE(std::filesystem::exists(kept)) << kept;
  for (const int end : ends) ::close(end);
  for (const auto& made : {living, next, root_folder}) remove_temporary_folder(made);
}

}  // namespace
}  // namespace detent
