#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace detent {

/// A file that appears under its name whole, by commit(), or not at all. It is written beside the target under a
/// temporary name, which is removed with the object. If the target is a link, the file that it points at is replaced or
/// made; a device, pipe or socket is written to directly.
/// Errors  CannotWrite naming the file and the system's reason, from every member.
class AtomicFile {
 public:
  /// Without `overwrite`, commit() fails when the file exists.
  explicit AtomicFile(std::filesystem::path target, bool overwrite = true);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Writes at an offset, over existing bytes or behind them; does not count for size().
  void write_at(uint64_t offset, std::string_view bytes);
  /// Fills `out` with bytes written earlier, from `offset` on.
  /// Errors  also when there are too few.
  void read_back(uint64_t offset, std::span<char> out) const;
  /// Returns the descriptor, valid until sync(). Bytes written through it do not count for size().
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Returns the bytes written with write().
  [[nodiscard]] uint64_t size() const { return size_; }
  /// Sets another name for commit(), in the same folder; not for a device, pipe or socket.
  void go_to(std::filesystem::path target);
  /// Writes the content to disk, still under the temporary name.
  void sync();
  /// Returns the path of the content until commit(); empty for a device, pipe or socket.
  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }
  /// Calls sync() unless that was done, and gives the file its name, or hands it to the set of the run's outputs, which
  /// does so (core/files/output_set.h).
  /// Errors  also when the target is an input (core/files/input_files.h).
  void commit();
  [[noreturn]] void fail(int reason) const;

 private:
  std::filesystem::path target_, temporary_;
  bool overwrite_, special_, committed_ = false;
  int descriptor_ = -1, claim_ = -1;  // the claim outlives the descriptor: until the file has its name
  uint64_t size_ = 0;
};

/// Writes a file whole or not at all.
/// Errors  those of AtomicFile; without `overwrite` also when it exists.
void write_file(const std::filesystem::path& path, std::string_view content, bool overwrite = true);

/// Makes a folder and those above it, unless it exists.
/// Errors  CannotWrite naming the folder and the system's reason, also for a folder of inputs.
void make_folder(const std::filesystem::path& folder);

/// Checks that `path` can be written, and removes left-over temporary files of it (dead_temporaries.h).
/// Errors  CannotWrite when `path` is an input (core/files/input_files.h), when it exists and `overwrite` is false, or
///         when its folder does not exist or cannot be written.
void check_writable(const std::filesystem::path& path, bool overwrite = true);

}  // namespace detent
