#pragma once

#include <sys/types.h>

#include <filesystem>
#include <utility>

namespace detent {

/// A lock that makes other writers of a folder wait while a model and its data get their names, and while a table is
/// extended and replaced. A thread that holds the lock of a folder does not wait for it again, and a temporary
/// folder, on which its process holds a lock of another meaning, needs none. Best effort: it gives up after ten
/// seconds, and where a file system has no locks.
class FolderLock {
 public:
  using Folder = std::pair<dev_t, ino_t>;

  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
  Folder folder_;
};

}  // namespace detent
