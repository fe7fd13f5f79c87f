#include "core/files/unfinished.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/files/atomic_file.h"
#include "core/files/temporary.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

constexpr int kCode = 130;

/// A folder outside the list of unfinished ones.
struct KeptFolder : TemporaryFolder {
  KeptFolder() { forget_unfinished(path()); }
};

// Death tests run in a copy of the process; this one checks its files.
TEST(EndAtOnce, RemovesHalfFilesAndKeepsWhatWasThere) {
  const KeptFolder folder;
  write_file(folder / "whole", "old");
  EXPECT_EXIT(
      {
        AtomicFile half(folder / "whole");
        half.write("new, but not all of it");
        AtomicFile fresh(folder / "fresh");
        end_at_once(kCode);
      },
      testing::ExitedWithCode(kCode), "");
  ASSERT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  std::string content;
  std::ifstream(folder / "whole") >> content;
  EXPECT_EQ(content, "old");
}

TEST(EndAtOnce, KeepsWhatIsCommitted) {
  const KeptFolder folder;
  EXPECT_EXIT(
      {
        AtomicFile done(folder / "done");
        done.commit();
        end_at_once(kCode);
      },
      testing::ExitedWithCode(kCode), "");
  EXPECT_TRUE(fs::exists(folder / "done"));
}

TEST(EndAtOnce, RemovesTemporaryFoldersWithWhatLiesInThem) {
  const KeptFolder folder;
  EXPECT_EXIT(
      {
        ::setenv("TMPDIR", folder.path().c_str(), 1);
        write_file(make_temporary_folder("test") / "file", "content");
        end_at_once(kCode);
      },
      testing::ExitedWithCode(kCode), "");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WorkToFinish, HasAPlanWhileItLives) {
  EXPECT_EQ(plan_of_work_to_finish(), std::nullopt);
  {
    WorkToFinish work("one");
    const WorkToFinish later("two");
    EXPECT_EQ(plan_of_work_to_finish(), "two");
    work.plan("three");
    EXPECT_EQ(plan_of_work_to_finish(), "two");
  }
  EXPECT_EQ(plan_of_work_to_finish(), std::nullopt);
}

TEST(EndAtOnce, EndsCommands) {
  EXPECT_EXIT(
      {
        const pid_t child = ::fork();
        if (child == 0) {
          ::setpgid(0, 0);
          for (;;) ::pause();
        }
        ::setpgid(child, child);
        remember_command(child);
        std::fprintf(stderr, "%d", child);
        end_at_once(kCode);
      },
      testing::ExitedWithCode(kCode), "");
  // A child that lived on would keep the pipe of the death test open, and EXPECT_EXIT would never return.
}

}  // namespace
}  // namespace detent
