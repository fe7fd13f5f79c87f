#include "core/files/folder_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "model/temporary_folder.h"

namespace detent {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(FolderLock, AThreadDoesNotWaitForItself) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "shared");
  const auto begin = steady_clock::now();
  const FolderLock first(folder / "shared"), second(folder / "shared"), of_a_temporary_folder(folder.path());
  EXPECT_LT(steady_clock::now() - begin, milliseconds(5000)) << "it gives up after 10 s";
}

TEST(FolderLock, AnotherThreadWaitsForTheFirst) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "shared");
  std::optional<FolderLock> first(folder / "shared");
  const FolderLock again(folder / "shared");
  std::atomic<bool> entered = false;
  std::thread other([&] {
    const FolderLock second(folder / "shared");
    entered = true;
  });
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_FALSE(entered);
  first.reset();
  other.join();
  EXPECT_TRUE(entered);
}

}  // namespace
}  // namespace detent
