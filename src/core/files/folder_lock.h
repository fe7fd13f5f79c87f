#pragma once

#include <filesystem>

namespace detent {

/// A lock that makes other writers of a folder wait: while a model and its data get their names, and while a table is
/// read, extended and replaced. Best effort: it gives up after ten seconds, and where a file system has no locks.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace detent
