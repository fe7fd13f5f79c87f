#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "detent/base/tensor.h"

namespace detent {

/// The bytes of a regular file as memory, unmapped with the last holder. The system reads pages when they are used and
/// may drop them at any time, so they count neither for memory_limit() nor for a second copy. Also the elements of a
/// tensor that several models share as if they lay in a file: see shared_by_models().
class MappedFile {
 public:
  /// Maps a file; an empty file gives no bytes.
  /// Errors  InvalidModel with the system's reason, also for a path that is not a regular file.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  /// Holds the elements of `tensor`, in plain layout, without a copy. Nothing may write to them any more.
  static std::shared_ptr<const MappedFile> of(Tensor tensor);
  /// Writes the elements of `tensor`, in plain layout, to an unnamed file below TMPDIR; nullptr when the system refuses
  /// one.
  static std::shared_ptr<const MappedFile> written(const Tensor& tensor);
  /// Returns the bytes that of() holds now.
  static size_t held_bytes();
  /// Returns the file of that number; nullptr when it has no holder any more.
  static std::shared_ptr<const MappedFile> find(uint64_t number);

  /// Returns the file or tensor that contains [data, data + bytes); nullptr for other memory.
  static std::shared_ptr<const MappedFile> holding(const void* data, size_t bytes);

  /// True when the address lies in a mapped file. A handler of SIGBUS may call it: the list's lock is never held while
  /// bytes of a file are read.
  static bool maps(const void* address);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }
  /// Returns a number that is unique among all files mapped by this process.
  [[nodiscard]] uint64_t number() const { return number_; }

 private:
  MappedFile(const char* data, size_t size, Tensor tensor) : data_(data), size_(size), tensor_(std::move(tensor)) {}
  static std::shared_ptr<const MappedFile> listed(std::shared_ptr<MappedFile> file);

  const char* data_;
  size_t size_;
  uint64_t number_ = 0;
  Tensor tensor_;  // empty handle: a mapping
};

/// Returns the tensor in a form that apply_patch() takes into any number of models without a copy, for large new
/// weights. Nothing may write to it any more. Small tensors come back unchanged. Beyond 64 MiB of them the elements go
/// to an unnamed file below TMPDIR, or stay in memory where that fails.
[[nodiscard]] Tensor shared_by_models(Tensor tensor);

/// Releases the pages of [data, data + bytes) that lie in a mapped file: they leave memory and are read again when
/// needed. Other memory is not touched.
void let_go_of_pages(const void* data, size_t bytes);

}  // namespace detent
