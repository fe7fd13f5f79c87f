#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace detent {

/// A file that appears under its name whole, by commit(), or not at all: written beside it under a temporary name,
/// which goes with the object. Where the target is a link, what it points at is replaced; a device, pipe or socket is
/// written to.
/// Errors  CannotWrite naming the file and the system's reason, from every member.
class AtomicFile {
 public:
  /// Without `overwrite` a file that is there when it comes to commit() stays, and commit() fails.
  explicit AtomicFile(std::filesystem::path target, bool overwrite = true);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Writes at an offset, over what is there or behind it; does not count for size().
  void write_at(uint64_t offset, std::string_view bytes);
  /// Fills `out` with bytes that were written before, from `offset` on.
  /// Errors  also when there are not so many.
  void read_back(uint64_t offset, std::span<char> out) const;
  /// For writers that want a descriptor, until sync(). What they write does not count for size().
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Bytes written with write().
  [[nodiscard]] uint64_t size() const { return size_; }
  /// Another name for commit(), in the same folder; not for what is a device, pipe or socket.
  void go_to(std::filesystem::path target);
  /// Content on disk, still under the temporary name.
  void sync();
  /// Where the content is until commit(); empty for what is a device, pipe or socket.
  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }
  /// sync() unless done, then the name, and the folder on disk.
  void commit();
  [[noreturn]] void fail(int reason) const;

 private:
  std::filesystem::path target_, temporary_;
  bool overwrite_, special_, committed_ = false;
  int descriptor_ = -1, claim_ = -1;  // the claim outlives the descriptor: until the file has its name
  uint64_t size_ = 0;
};

/// Writes a file whole or not at all.
/// Errors  CannotWrite naming the file and the system's reason; without `overwrite` also when it exists.
void write_file(const std::filesystem::path& path, std::string_view content, bool overwrite = true);

/// Errors  CannotWrite when `path` exists and `overwrite` is false, or its folder does not exist or takes no files.
/// Clears dead_temporaries.h.
void check_writable(const std::filesystem::path& path, bool overwrite = true);

}  // namespace detent
