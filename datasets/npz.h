#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/npy_file.h"
#include "datasets/source_request.h"

namespace detent {

/// The arrays of a .npz (a zip of .npy, stored or deflated). Stored arrays are read where they lie; a deflated array is
/// unpacked, when asked for, into an unnamed temporary file and read from there, so that memory does not hold it either.
/// Source  PKWARE APPNOTE 6.3; numpy.savez writes zip64 local headers for small files, so sizes come from the directory.
class NpzFile {
 public:
  /// Reads the archive's directory. Errors  InvalidData naming the file: not a zip, cut short, zip64, encrypted.
  explicit NpzFile(const std::filesystem::path& path);

  /// Names of the arrays without ".npy", in the order of the archive.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Errors  InvalidData when there is no such array, its checksum is wrong or it is compressed in another way.
  [[nodiscard]] NpyFile open(const std::string& name) const;

 private:
  struct Entry {
    std::string name;
    uint16_t flags = 0, method = 0;
    uint32_t checksum = 0;
    uint64_t packed = 0, unpacked = 0, local_header = 0;
  };
  void read_directory();
  [[nodiscard]] NpyFile open_entry(const Entry& entry) const;

  std::shared_ptr<const FileBytes> bytes_;
  std::vector<Entry> entries_;
};

/// A .npz that feeds inputs by name; with a single input and a single array the name does not matter.
[[nodiscard]] bool is_npz(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_npz(const SourceRequest& request);

}  // namespace detent
