#include "core/files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "core/files/temporary.h"

namespace detent {

namespace {

/// The folders that this thread has locked. A lock belongs to its descriptor: a second one would wait for the first.
std::vector<FolderLock::Folder>& held_folders() {
  thread_local std::vector<FolderLock::Folder> held;
  return held;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(is_temporary_folder(folder) ? -1 : ::open(folder.c_str(), O_RDONLY | O_CLOEXEC)) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  constexpr int kTries = 500;
  if (descriptor_ < 0) return;
  struct stat facts {};
  ::fstat(descriptor_, &facts);
  folder_ = {facts.st_dev, facts.st_ino};
  if (std::ranges::count(held_folders(), folder_) > 0) {
    ::close(descriptor_);
    descriptor_ = -1;
    return;
  }
  held_folders().push_back(folder_);
  for (int i = 0; i < kTries; ++i) {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) return;
    std::this_thread::sleep_for(kPause);
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  std::erase(held_folders(), folder_);
  ::close(descriptor_);
}

}  // namespace detent
