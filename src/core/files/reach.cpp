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

fs::path behind_links(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  fs::path at = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(at, error))) return at;
    const fs::path target = fs::read_symlink(at, error);
    if (error) return path;
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return path;
}

fs::path place_of(const fs::path& path) {
  std::error_code error;
  const fs::path end = behind_links(path);
  const fs::path folder = fs::weakly_canonical(folder_of(end), error);
  return error || !end.has_filename() ? end : folder / end.filename();
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

}  // namespace detent
