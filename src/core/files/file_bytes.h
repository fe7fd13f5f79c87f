#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace detent {

/// Read-only bytes of an open file; the last holder closes the descriptor. Reads use pread, so many threads may read at
/// once.
class FileBytes {
 public:
  /// Takes an open descriptor, which this object closes. `name` is used in messages.
  FileBytes(int descriptor, std::string name);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// Opens a regular file for reading at any place, more than once.
  /// Errors  InvalidData naming the file, also for pipes and devices.
  static std::shared_ptr<const FileBytes> open(const std::filesystem::path& path);

  /// Fills `out`.
  /// Errors  InvalidData when the file ends early or cannot be read.
  void read(uint64_t offset, void* out, size_t bytes) const;
  /// Returns the whole file.
  /// Errors  InvalidData when it exceeds --max-memory or cannot be read.
  [[nodiscard]] std::string content() const;
  [[nodiscard]] uint64_t size() const { return size_; }
  /// Returns the bytes stored on disk: size() less the holes, as far as the file system reports them; size() where it
  /// does not, or where the file has more than 256 pieces.
  [[nodiscard]] uint64_t stored_bytes() const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  int descriptor_;
  uint64_t size_ = 0;
  std::string name_;
};

}  // namespace detent
