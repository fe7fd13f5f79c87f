#include "core/files/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "core/files/dead_temporaries.h"
#include "core/files/unfinished.h"
#include "core/system_reason.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "detent_";
constexpr size_t kRandom = 6;  // characters of mkdtemp
constexpr const char* kTemporaryHint = "set TMPDIR to a folder that exists and can be written";

/// Returns TMPDIR, or the system's folder.
/// Errors  CannotWrite.
fs::path temporary_root() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (!error) return folder;
  const char* const named = std::getenv("TMPDIR");
  throw Error(ErrorCode::CannotWrite,
              "there is no folder for temporary files" + (named ? ": TMPDIR is '" + std::string(named) + "', " : ": ") +
                  error.message(),
              kTemporaryHint);
}

/// Folders of this process, each with the descriptor of its lock. Never destroyed.
struct OwnFolders {
  std::mutex mutex;
  std::map<fs::path, int> locks;
};
OwnFolders& own_folders() {
  static auto* const all = new OwnFolders;
  return *all;
}

/// Locks a folder while the descriptor is open, which the process's end closes; -1 where that fails or the folder is
/// gone.
int lock_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct stat status {};
  const bool mine = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &status) == 0 &&
                    status.st_uid == ::geteuid() && fs::exists(folder);
  if (mine) return descriptor;
  ::close(descriptor);
  return -1;
}

/// Removes folders of processes of this boot that were killed. A living process holds a lock on its folder.
void remove_dead_folders(const fs::path& root) {
  std::error_code error;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_temporary_folder(entry->path())) continue;
    const int lock = lock_folder(entry->path());
    if (lock < 0) continue;
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
    ::close(lock);
  }
}

std::string template_in(const fs::path& root, const std::string& name) {
  return (root / (kPrefix + name + "_" + boot_digits() + "-XXXXXX")).string();
}

}  // namespace

bool is_temporary_folder(const fs::path& folder) {
  const std::string boot = "_" + boot_digits() + "-";
  const std::string name = folder.filename().string();
  return name.starts_with(kPrefix) && name.size() >= boot.size() + kRandom &&
         name.compare(name.size() - kRandom - boot.size(), boot.size(), boot) == 0;
}

fs::path make_temporary_folder(const std::string& name) {
  const fs::path root = temporary_root();
  remove_dead_folders(root);
  constexpr int kTries = 10;  // another process may take a folder for a dead one's before it is locked
  for (int i = 0;; ++i) {
    std::string path = template_in(root, name);
    if (!::mkdtemp(path.data()))
      throw Error(ErrorCode::CannotWrite, path + ": " + with_system_reason("cannot be made a temporary folder"),
                  kTemporaryHint);
    make_unfinished(path, [] { return 0; });
    const int lock = lock_folder(path);
    if (lock < 0 && i < kTries && !fs::exists(path)) {
      forget_unfinished(path);
      continue;
    }
    const std::scoped_lock guard(own_folders().mutex);
    own_folders().locks[path] = lock;
    return path;
  }
}

void remove_temporary_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  forget_unfinished(folder);
  const std::scoped_lock guard(own_folders().mutex);
  if (const auto lock = own_folders().locks.extract(folder); !lock.empty() && lock.mapped() >= 0)
    ::close(lock.mapped());
}

int open_temporary_file() {
  std::string path = template_in(temporary_root(), "unpacked");
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0)
    throw Error(ErrorCode::CannotWrite, path + ": " + with_system_reason("cannot be made a temporary file"),
                kTemporaryHint);
  ::unlink(path.c_str());
  return descriptor;
}

}  // namespace detent
