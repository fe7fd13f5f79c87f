#include "core/files/reach.h"

namespace detent {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::status(path, error));
}

bool is_regular(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::status(path, error));
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::status(path, error));
}

std::string no_reach(const fs::path& path) {
  std::error_code error;
  if (fs::exists(fs::status(path, error))) return {};
  if (path.empty() || error == std::errc::no_such_file_or_directory) return std::string(kNoSuchFile);
  return "cannot be reached: " + error.message();
}

}  // namespace detent
