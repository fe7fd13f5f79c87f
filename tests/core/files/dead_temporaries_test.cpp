#include "core/files/dead_temporaries.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/files/atomic_file.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

TEST(DeadTemporaries, GoWhenNobodyHoldsThem) {
  const TemporaryFolder folder;
  folder.write(temporary_name("a", 1), "half");
  folder.write(temporary_name("a", 2), "");
  remove_dead_temporaries(folder / "a");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(DeadTemporaries, StayWhileTheirWriterLives) {
  const TemporaryFolder folder;
  AtomicFile living(folder / "a");
  living.write("all");
  living.sync();  // closed, and not yet under its name
  check_writable(folder / "a");
  remove_dead_temporaries(folder / "a");
  living.commit();
  EXPECT_EQ(TemporaryFolder::read(folder / "a"), "all");
}

TEST(DeadTemporaries, OfOtherFilesAndWhatOnlyLooksLikeOneStay) {
  const TemporaryFolder folder;
  const std::string digits = temporary_name("", 1).substr(2);  // "BOOT-RANDOM.tmp"
  const std::vector<std::string> others{".b." + digits,
                                        ".a.b." + digits,
                                        ".a.notes.tmp",
                                        "a." + digits,
                                        ".a." + digits + "x",
                                        ".a..tmp",
                                        "a",
                                        ".a.12345678x00000001.tmp"};
  for (const std::string& name : others) folder.write(name, "");
  remove_dead_temporaries(folder / "a");
  EXPECT_EQ(folder.names().size(), others.size());
}

TEST(DeadTemporaries, InAFolderOfOutputsGoWhateverTheyAreOf) {
  const TemporaryFolder folder;
  folder.write(temporary_name("a", 1), "half");
  folder.write(temporary_name("b.npy", 1), "half");
  folder.write(".c.00000000-00000001.tmp", "of another boot");
  folder.write(".notes.tmp", "of the user");
  const AtomicFile living(folder / "d");
  remove_dead_temporaries_in(folder.path());
  EXPECT_EQ(folder.names().size(), 3U);
}

// Locks of processes under another kernel may be invisible here.
TEST(DeadTemporaries, OfAnotherMachineGoAfterAnHour) {
  const TemporaryFolder folder;
  const std::string name = ".a.00000000-00000001.tmp";  // no kernel has this boot id: version 4 ids are random
  folder.write(name, "half");
  remove_dead_temporaries(folder / "a");
  EXPECT_TRUE(fs::exists(folder / name));
  fs::last_write_time(folder / name, fs::file_time_type::clock::now() - std::chrono::minutes(61));
  remove_dead_temporaries(folder / "a");
  EXPECT_FALSE(fs::exists(folder / name));
}

TEST(ClaimTemporary, FailsForAFileThatWasTakenForADeadOnes) {
  const TemporaryFolder folder;
  const auto open_new = [&](const char* name) { return ::open((folder / name).c_str(), O_RDWR | O_CREAT, 0600); };
  const int free = open_new("free"), gone = open_new("gone");
  fs::remove(folder / "gone");
  EXPECT_TRUE(claim_temporary(free));
  EXPECT_FALSE(claim_temporary(gone));
  const int same = open_new("free");
  EXPECT_FALSE(claim_temporary(same));
  for (const int descriptor : {free, gone, same}) ::close(descriptor);
}

}  // namespace
}  // namespace detent
