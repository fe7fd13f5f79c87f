#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "detent/base/tensor.h"

namespace detent {

/// The bytes of a regular file as memory. Its pages are read when they are looked at and may be taken back by the
/// system at any time, so they count neither for memory_limit() nor for a second copy. Unmapped with the last holder.
/// Or the elements of a tensor, which several models look into as if they lay in a file: see shared_by_models().
class MappedFile {
 public:
  /// An empty file gives no bytes.
  /// Errors  InvalidModel with the system's reason, also for what is no regular file.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  /// The elements of `tensor`, in plain layout, which nobody writes to any more. Nothing is copied.
  static std::shared_ptr<const MappedFile> of(Tensor tensor);
  /// A file without a name below TMPDIR with the elements of `tensor`, in plain layout; nullptr where the system
  /// refuses one.
  static std::shared_ptr<const MappedFile> written(const Tensor& tensor);
  /// Bytes of all that of() holds now.
  static size_t held_bytes();
  /// The file of that number; nullptr when nobody holds it any more.
  static std::shared_ptr<const MappedFile> find(uint64_t number);

  /// The file, or tensor, that [data, data + bytes) lies in; nullptr for other memory.
  static std::shared_ptr<const MappedFile> holding(const void* data, size_t bytes);

  /// Whether the address lies in a file that is mapped now. A handler of SIGBUS may ask: the list's lock is never held
  /// while bytes of a file are read.
  static bool maps(const void* address);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }
  /// Of all files that were ever mapped by this process, which one.
  [[nodiscard]] uint64_t number() const { return number_; }

 private:
  MappedFile(const char* data, size_t size, Tensor tensor) : data_(data), size_(size), tensor_(std::move(tensor)) {}
  static std::shared_ptr<const MappedFile> listed(std::shared_ptr<MappedFile> file);

  const char* data_;
  size_t size_;
  uint64_t number_ = 0;
  Tensor tensor_;  // empty handle: a mapping
};

/// The tensor in a form that apply_patch() takes into models without a copy, however many: large weights that were made
/// anew. It is not to be written to any more. Small ones come back as they are. Beyond 64 MiB of them the elements go
/// to a file below TMPDIR that has no name, as those of a model lie in its file; where there can be none they stay in
/// memory.
[[nodiscard]] Tensor shared_by_models(Tensor tensor);

/// Says that [data, data + bytes) is not looked at for a while: whole pages of it that lie in a MappedFile leave memory
/// and are read again when needed. Other memory is not touched.
void let_go_of_pages(const void* data, size_t bytes);

}  // namespace detent
