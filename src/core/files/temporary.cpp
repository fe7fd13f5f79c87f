#include "core/files/temporary.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "core/files/unfinished.h"
#include "core/system_reason.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr const char* kTemporaryHint = "set TMPDIR to a folder that exists and can be written";

std::string pattern_of(const std::string& name) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) {
    const char* const named = std::getenv("TMPDIR");
    throw Error(ErrorCode::CannotWrite,
                "there is no folder for temporary files" +
                    (named ? ": TMPDIR is '" + std::string(named) + "', " : ": ") + error.message(),
                kTemporaryHint);
  }
  return (folder / ("detent_" + name + "_XXXXXX")).string();
}

}  // namespace

std::filesystem::path make_temporary_folder(const std::string& name) {
  std::string path = pattern_of(name);
  if (!::mkdtemp(path.data()))
    throw Error(ErrorCode::CannotWrite, path + ": " + with_system_reason("cannot be made a temporary folder"),
                kTemporaryHint);
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
  if (descriptor < 0)
    throw Error(ErrorCode::CannotWrite, path + ": " + with_system_reason("cannot be made a temporary file"),
                kTemporaryHint);
  ::unlink(path.c_str());
  return descriptor;
}

}  // namespace detent
