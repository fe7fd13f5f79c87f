#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace detent {

/// Read-only bytes of an open file; the descriptor is closed with the last holder. Reads use pread: many threads at
/// once.
class FileBytes {
 public:
  /// The bytes of an open descriptor, which this object closes. `name` is used in messages.
  FileBytes(int descriptor, std::string name);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// Opens a regular file for reading: the readers look at any place of it, more than once.
  /// Errors  InvalidData naming the file, also for pipes and devices.
  static std::shared_ptr<const FileBytes> open(const std::filesystem::path& path);

  /// Fills `out`.
  /// Errors  InvalidData when the file ends early or cannot be read.
  void read(uint64_t offset, void* out, size_t bytes) const;
  [[nodiscard]] uint64_t size() const { return size_; }
  /// Bytes that lie on the disk: size() less the holes that were never written, as far as the file system tells; size()
  /// where it does not tell, or the file lies in more than 256 pieces.
  [[nodiscard]] uint64_t stored_bytes() const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  int descriptor_;
  uint64_t size_ = 0;
  std::string name_;
};

}  // namespace detent
