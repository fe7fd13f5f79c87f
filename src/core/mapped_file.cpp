#include "core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

#include "core/system_reason.h"
#include "detent/error.h"

namespace detent {

namespace {

/// All files that are mapped now, by number. Never destroyed: models may outlive static storage.
struct Registry {
  std::mutex mutex;
  uint64_t next = 1;
  std::map<uint64_t, std::pair<std::weak_ptr<const MappedFile>, std::string_view>> files;
};

Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

Error unreadable(const std::filesystem::path& path) {
  return {ErrorCode::InvalidModel, with_system_reason(path.filename().string() + " cannot be opened for reading")};
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw unreadable(path);
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    if (!known) throw unreadable(path);
    throw Error(ErrorCode::InvalidModel, path.filename().string() + " is not a regular file");
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* const data = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const Error refused = unreadable(path);
  ::close(descriptor);
  if (data == MAP_FAILED) throw refused;

  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const std::shared_ptr<const MappedFile> file(new MappedFile(static_cast<const char*>(data), size, all.next++));
  all.files.emplace(file->number_, std::pair(file, file->bytes()));
  return file;
}

std::shared_ptr<const MappedFile> MappedFile::find(uint64_t number) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.files.find(number);
  return found == all.files.end() ? nullptr : found->second.first.lock();
}

std::shared_ptr<const MappedFile> MappedFile::holding(const void* data, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (const auto& [number, file] : all.files) {
    const auto start = reinterpret_cast<uintptr_t>(file.second.data());
    if (begin >= start && begin + bytes <= start + file.second.size()) return file.first.lock();
  }
  return nullptr;
}

MappedFile::~MappedFile() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.files.erase(number_);
  if (size_ > 0) ::munmap(const_cast<char*>(data_), size_);
}

void let_go_of_pages(const void* data, size_t bytes) {
  static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;
  if (first >= last) return;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);  // no file is unmapped meanwhile
  for (const auto& [number, file] : all.files) {
    const auto start = reinterpret_cast<uintptr_t>(file.second.data());
    if (begin < start || begin + bytes > start + file.second.size()) continue;
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    return;
  }
}

}  // namespace detent
