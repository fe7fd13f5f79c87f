#include "core/files/allowed_folders.h"

#include "detent/base/error.h"

namespace detent {

namespace {

std::vector<std::filesystem::path>& folders() {
  static std::vector<std::filesystem::path> list;
  return list;
}

}  // namespace

const std::vector<std::filesystem::path>& allowed_folders() { return folders(); }

void allow_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(folder, error);
  if (error) throw Error(ErrorCode::Usage, "'" + folder.string() + "': " + error.message());
  if (!std::filesystem::is_directory(real, error))
    throw Error(ErrorCode::Usage, "'" + folder.string() + "' is not a folder");
  folders().push_back(real);
}

void forget_allowed_folders() { folders().clear(); }

}  // namespace detent
