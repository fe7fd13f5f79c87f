#include "core/files/output_set.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/files/atomic_file.h"
#include "core/files/unfinished.h"
#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class OutputSetTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(OutputSetTest, FilesAppearTogether) {
  OutputSet set;
  write_file(folder_ / "a", "1");
  write_file(folder_ / "b", "2");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  EXPECT_EQ(TemporaryFolder::read(OutputSet::content_of(folder_ / "a")), "1");
  set.commit();
  EXPECT_EQ(folder_.names(), (Names{"a", "b"}));
  EXPECT_EQ(OutputSet::content_of(folder_ / "a"), folder_ / "a");
}

TEST_F(OutputSetTest, WithoutACommitOlderFilesStayAndNoOtherOnesAreLeft) {
  folder_.write("a", "old");
  {
    OutputSet set;
    write_file(folder_ / "a", "new");
    make_folder(folder_ / "sub");
    write_file(folder_ / "sub" / "b", "new");
  }
  EXPECT_EQ(folder_.names(), Names{"a"});
  EXPECT_EQ(TemporaryFolder::read(folder_ / "a"), "old");
}

TEST_F(OutputSetTest, WhereOneGetsNoNameNoneDoes) {
  folder_.write("replaced", "old");
  OutputSet set;
  write_file(folder_ / "replaced", "new");
  write_file(folder_ / "new", "new");
  write_file(folder_ / "taken", "new", false);
  folder_.write("taken", "of another process");
  EXPECT_EQ(error_of<Error>([&] { set.commit(); }).code(), ErrorCode::CannotWrite);
  EXPECT_EQ(TemporaryFolder::read(folder_ / "replaced"), "old");
  EXPECT_EQ(TemporaryFolder::read(folder_ / "taken"), "of another process");
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

TEST_F(OutputSetTest, AFolderIsNotReplaced) {
  OutputSet set;
  write_file(folder_ / "a", "new");
  fs::create_directory(folder_ / "a");
  EXPECT_EQ(error_of<Error>([&] { set.commit(); }).code(), ErrorCode::CannotWrite);
  EXPECT_TRUE(fs::is_directory(folder_ / "a"));
}

TEST_F(OutputSetTest, AnInnerSetHandsItsFilesOver) {
  OutputSet outer;
  {
    OutputSet inner;
    write_file(folder_ / "handed over", "");
    inner.commit();
  }
  {
    const OutputSet inner;
    write_file(folder_ / "dropped", "");
  }
  EXPECT_FALSE(fs::exists(folder_ / "handed over"));
  outer.commit();
  EXPECT_EQ(folder_.names(), Names{"handed over"});
}

TEST_F(OutputSetTest, AtOnceGivesNamesAtOnce) {
  const OutputSet set;
  const AtOnce now;
  write_file(folder_ / "a", "");
  EXPECT_TRUE(fs::exists(folder_ / "a"));
}

TEST_F(OutputSetTest, RefusesTwoOutputsOfOnePlace) {
  fs::create_symlink("a", folder_ / "link");  // leads nowhere yet
  const OutputSet set;
  write_file(folder_ / "a", "");
  EXPECT_EQ(error_of<Error>([&] { write_file(folder_ / "link", ""); }).code(), ErrorCode::CannotWrite);
}

TEST_F(OutputSetTest, ALinkThatLeadsNowhereGetsItsFile) {
  fs::create_symlink("a", folder_ / "link");
  write_file(folder_ / "link", "content");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(TemporaryFolder::read(folder_ / "a"), "content");
}

TEST_F(OutputSetTest, TheEndOfTheProcessDropsIt) {
  folder_.write("a", "old");
  forget_unfinished(folder_.path());
  EXPECT_EXIT(
      {
        OutputSet set;
        write_file(folder_ / "a", "new");
        end_at_once(130);
      },
      testing::ExitedWithCode(130), "");
  EXPECT_EQ(folder_.names(), Names{"a"});
  EXPECT_EQ(TemporaryFolder::read(folder_ / "a"), "old");
}

}  // namespace
}  // namespace detent
