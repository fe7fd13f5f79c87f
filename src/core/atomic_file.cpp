#include "core/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "detent/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& path, int reason) {
  return {ErrorCode::CannotWrite, path.string() + ": cannot be written: " + std::strerror(reason)};
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

}  // namespace

void write_file(const fs::path& path, std::string_view content) {
  const fs::path temporary = path.string() + ".tmp" + std::to_string(::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw cannot_write(path, errno);
  int failure = 0;
  while (!content.empty() && failure == 0) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno != EINTR) failure = errno;
    if (written > 0) content.remove_prefix(static_cast<size_t>(written));
  }
  if (failure == 0 && ::fsync(descriptor) != 0) failure = errno;
  if (::close(descriptor) != 0 && failure == 0) failure = errno;
  if (failure == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failure = errno;
  if (failure == 0) return;
  ::unlink(temporary.c_str());
  throw cannot_write(path, failure);
}

void check_writable(const fs::path& path, bool overwrite) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw Error(ErrorCode::CannotWrite, path.string() + ": is a folder");
  if (!overwrite && fs::exists(path, error))
    throw Error(ErrorCode::CannotWrite, path.string() + ": exists already", "choose another name or add --overwrite");
  const fs::path folder = folder_of(path);
  if (!fs::is_directory(folder, error))
    throw Error(ErrorCode::CannotWrite, path.string() + ": there is no folder '" + folder.string() + "'");
  if (::access(folder.c_str(), W_OK) != 0) throw cannot_write(path, errno);
}

}  // namespace detent
