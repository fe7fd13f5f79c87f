#pragma once

#include <filesystem>
#include <vector>

#include "core/files/content_hash.h"

namespace detent {

/// Returns the path for the weights of `model`: NAME.onnx.0123456789abcdef.data beside it. The digits come from the
/// content, so that a model, old or new, names its own data at every moment of a write, and equal models are equal
/// files.
[[nodiscard]] std::filesystem::path data_path_of(const std::filesystem::path& model, const Digest& content);

/// Returns the files with such names that the model at `model` refers to; none where it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> data_files_of(const std::filesystem::path& model);

/// A lock that makes other writers of a folder wait while a model and its data get their names. Best effort: it gives
/// up after ten seconds, and where a file system has no locks.
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
