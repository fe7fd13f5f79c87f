#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace detent {

/// Files that running work reads. While the object lives, check_writable(), make_folder() and AtomicFile refuse to
/// replace one of them, anywhere in the process. A file is recognized by device and inode: under another path, through
/// a link, or as a hard link.
class InputFiles {
 public:
  /// Files with one reader.
  struct Source {
    std::string reader;  ///< for messages: "--data"
    /// Returns files and folders; those that do not exist do no harm. A folder stands for itself and the files below
    /// it, except hidden ones and those that end in .onnx, .dct, .json, .html or .cache, which are outputs. Called
    /// once, when an output that exists is checked, so that thousands of samples cost nothing otherwise. An exception
    /// counts as no file: reading reports it.
    std::function<std::vector<std::filesystem::path>()> find;
  };

  explicit InputFiles(std::vector<Source> sources);
  ~InputFiles();
  InputFiles(const InputFiles&) = delete;
  InputFiles& operator=(const InputFiles&) = delete;

 private:
  uint64_t number_;
};

/// An input, as its reader names it.
struct InputFile {
  std::filesystem::path path;
  std::string reader;
};

/// Returns the input that `path` names; nullopt for a path of no input, or of a device, pipe or socket.
[[nodiscard]] std::optional<InputFile> find_input_file(const std::filesystem::path& path);

/// Errors  CannotWrite when `output` names an input.
void check_is_no_input(const std::filesystem::path& output);

}  // namespace detent
