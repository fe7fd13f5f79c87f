#include "core/files/temporary.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "core/files/unfinished.h"
#include "core/system_reason.h"
#include "detent/error.h"

namespace detent {

namespace {

std::string pattern_of(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("detent_" + name + "_XXXXXX")).string();
}

}  // namespace

std::filesystem::path make_temporary_folder(const std::string& name) {
  std::string path = pattern_of(name);
  if (!::mkdtemp(path.data()))
    throw Error(ErrorCode::CannotWrite, path + ": " + with_system_reason("cannot be made a temporary folder"),
                "TMPDIR names where temporary folders are made");
  make_unfinished(path, [] { return 0; });
  return path;
}

void remove_temporary_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  forget_unfinished(folder);
}

int open_temporary_file() {
  std::string path = pattern_of("unpacked");
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) ::unlink(path.c_str());
  return descriptor;
}

}  // namespace detent
