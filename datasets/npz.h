#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/base/npy_file.h"
#include "datasets/source_request.h"

namespace detent {

/// The arrays of a .npz (a zip or zip64 of .npy, stored or deflated), for one thread. Stored arrays are read in place;
/// a deflated array is unpacked on request into an unnamed temporary file, so that memory does not hold it either.
class NpzFile {
 public:
  /// Reads the archive's directory.
  /// Errors  InvalidData naming the file: not a zip, cut short.
  explicit NpzFile(const std::filesystem::path& path);

  /// Returns the names of the arrays without ".npy", in the order of the archive.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Opens an array.
  /// Errors  InvalidData when there is no such array, it is encrypted, its checksum is wrong or its compression is not
  /// supported.
  [[nodiscard]] NpyFile open(const std::string& name) const;

 private:
  struct Archive;
  struct Member {
    std::string name;
    uint64_t index;
  };
  [[nodiscard]] NpyFile open_member(const Member& member) const;

  std::shared_ptr<Archive> archive_;
  std::vector<Member> members_;
};

/// A .npz that feeds inputs by name; with a single input and a single array the name does not matter.
[[nodiscard]] bool is_npz(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_npz(const SourceRequest& request);

/// A folder with .npz files and no images, searched recursively, natural order by path: arrays by input name in each,
/// of one sample or several. Sizes that the model leaves open may differ between files. A file that is unreadable or
/// does not fit counts as one sample, whose read() reports it.
/// Errors  InvalidData when there is no sample, or no file fits.
[[nodiscard]] bool is_npz_folder(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_npz_folder(const SourceRequest& request);

}  // namespace detent
