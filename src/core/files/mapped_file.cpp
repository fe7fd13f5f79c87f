#include "core/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include "core/files/temporary.h"
#include "core/index.h"
#include "core/system_reason.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// All mapped files. Never destroyed: models may outlive static storage.
struct Registry {
  struct Entry {
    uint64_t number = 0;
    size_t bytes = 0;
    bool is_mapping = true;
  };
  std::mutex mutex;
  uint64_t next = 1;
  size_t held = 0;                                            // bytes of tensors
  std::map<uint64_t, std::weak_ptr<const MappedFile>> files;  // by number
  std::map<uintptr_t, Entry> by_address;                      // without empty ones

  /// Returns the entry that contains [begin, begin + length); nullptr for other memory. Call under the mutex.
  const Entry* find(uintptr_t begin, size_t length) const {
    auto after = by_address.upper_bound(begin);
    if (after == by_address.begin()) return nullptr;
    const auto& [start, entry] = *--after;
    const uintptr_t from = begin - start;
    return from <= entry.bytes && length <= entry.bytes - from ? &entry : nullptr;
  }
};

Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

Error unreadable(const std::filesystem::path& path) {
  return {ErrorCode::InvalidModel, with_system_reason(path.filename().string() + " cannot be opened for reading")};
}

/// Returns a descriptor; -1 when no file can be made.
int temporary_file() {
  try {
    return open_temporary_file();
  } catch (const Error&) {  // TMPDIR is not a folder
    return -1;
  }
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
  const auto size = as_index(status.st_size);
  void* const data = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const Error refused = unreadable(path);
  ::close(descriptor);
  if (data == MAP_FAILED) throw refused;

  return listed(std::shared_ptr<MappedFile>(new MappedFile(static_cast<const char*>(data), size, {})));
}

std::shared_ptr<const MappedFile> MappedFile::of(Tensor tensor) {
  const auto* const data = static_cast<const char*>(tensor.raw());
  const size_t bytes = tensor.byte_count();
  return listed(std::shared_ptr<MappedFile>(new MappedFile(data, bytes, std::move(tensor))));
}

std::shared_ptr<const MappedFile> MappedFile::written(const Tensor& tensor) {
  const std::string_view all(static_cast<const char*>(tensor.raw()), tensor.byte_count());
  rlimit largest{};  // beyond it the system would end the program
  if (all.empty() || ::getrlimit(RLIMIT_FSIZE, &largest) != 0 || largest.rlim_cur < all.size()) return nullptr;
  const int descriptor = temporary_file();
  if (descriptor < 0) return nullptr;
  bool whole = true;
  for (std::string_view rest = all; whole && !rest.empty();) {
    const ssize_t put = ::write(descriptor, rest.data(), rest.size());
    if (put > 0) rest.remove_prefix(as_index(put));
    whole = put > 0 || (put < 0 && errno == EINTR);
  }
  void* const data = whole ? ::mmap(nullptr, all.size(), PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  ::close(descriptor);
  if (data == MAP_FAILED) return nullptr;
  return listed(std::shared_ptr<MappedFile>(new MappedFile(static_cast<const char*>(data), all.size(), {})));
}

size_t MappedFile::held_bytes() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.held;
}

std::shared_ptr<const MappedFile> MappedFile::listed(std::shared_ptr<MappedFile> file) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  file->number_ = all.next++;
  if (!file->tensor_.empty_handle()) all.held += file->size_;
  all.files.emplace(file->number_, file);
  if (file->size_ > 0)
    all.by_address[reinterpret_cast<uintptr_t>(file->data_)] = {file->number_, file->size_,
                                                                file->tensor_.empty_handle()};
  return file;
}

std::shared_ptr<const MappedFile> MappedFile::find(uint64_t number) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.files.find(number);
  return found == all.files.end() ? nullptr : found->second.lock();
}

std::shared_ptr<const MappedFile> MappedFile::holding(const void* data, size_t bytes) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const Registry::Entry* const entry = all.find(reinterpret_cast<uintptr_t>(data), bytes);
  return entry ? all.files.at(entry->number).lock() : nullptr;
}

bool MappedFile::maps(const void* address) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const Registry::Entry* const entry = all.find(reinterpret_cast<uintptr_t>(address), 1);
  return entry && entry->is_mapping;
}

MappedFile::~MappedFile() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.files.erase(number_);
  if (!tensor_.empty_handle()) all.held -= size_;
  if (size_ == 0) return;
  all.by_address.erase(reinterpret_cast<uintptr_t>(data_));
  if (tensor_.empty_handle()) ::munmap(const_cast<char*>(data_), size_);
}

Tensor shared_by_models(Tensor tensor) {
  constexpr size_t kLarge = size_t{1} << 20;  // bytes: fewer are copied faster than they are looked up
  constexpr size_t kMostInMemory = size_t{64} << 20;
  if (tensor.byte_count() < kLarge || tensor.layout() != Layout::Plain) return tensor;
  if (MappedFile::holding(tensor.raw(), tensor.byte_count())) return tensor;  // it is shared already
  const DataType type = tensor.type();
  const Shape shape = tensor.shape();
  std::shared_ptr<const MappedFile> elements;
  if (MappedFile::held_bytes() + tensor.byte_count() > kMostInMemory) elements = MappedFile::written(tensor);
  if (!elements) elements = MappedFile::of(std::move(tensor));
  // The tensor keeps the function, which keeps the file.
  return Tensor::deferred(type, shape, [type, shape, file = std::move(elements)] {
    return Tensor::view(type, shape, file->bytes().data());
  });
}

void let_go_of_pages(const void* data, size_t bytes) {
  static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;
  if (first >= last) return;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);  // so that no file is unmapped meanwhile
  const Registry::Entry* const entry = all.find(begin, bytes);
  if (entry && entry->is_mapping) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace detent
