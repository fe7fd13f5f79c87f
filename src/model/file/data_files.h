#pragma once

#include <filesystem>
#include <vector>

#include "core/files/content_hash.h"

namespace detent {

/// Where write_model puts the weights of `model`: NAME.onnx.0123456789abcdef.data beside it. The digits come from the
/// content, so that a model, old or new, names its own data at every instant of a write, and equal models are equal
/// files.
[[nodiscard]] std::filesystem::path data_path_of(const std::filesystem::path& model, const Digest& content);

/// The files with such names that the model at `model` refers to; none where nothing readable is there.
[[nodiscard]] std::vector<std::filesystem::path> data_files_of(const std::filesystem::path& model);

/// Keeps other writers of a folder waiting while a model and its data get their names. Best effort: after ten seconds,
/// or where a file system has no locks, it goes on.
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
