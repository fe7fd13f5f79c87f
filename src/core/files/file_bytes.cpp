#include "core/files/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/index.h"
#include "core/memory_limit.h"
#include "core/system_reason.h"
#include "detent/base/error.h"

namespace detent {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
  throw Error(ErrorCode::InvalidData, file + ": " + reason);
}

}  // namespace

FileBytes::FileBytes(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && status.st_size > 0) size_ = static_cast<uint64_t>(status.st_size);
}

FileBytes::~FileBytes() { ::close(descriptor_); }

std::shared_ptr<const FileBytes> FileBytes::open(const std::filesystem::path& path) {
  // O_NONBLOCK: otherwise opening a pipe would wait for its writer; regular files ignore it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) refuse(path.string(), with_system_reason("cannot be opened"));
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    refuse(path.string(), S_ISDIR(status.st_mode) ? "is a folder" : "is not a regular file (a pipe or a device)");
  }
  return std::make_shared<const FileBytes>(descriptor, path.string());
}

uint64_t FileBytes::stored_bytes() const {
#ifdef SEEK_DATA
  constexpr int kPieces = 256;
  uint64_t stored = 0;
  off_t at = 0;
  for (int piece = 0; piece < kPieces; ++piece) {
    const off_t begin = ::lseek(descriptor_, at, SEEK_DATA);
    if (begin < 0) return errno == ENXIO ? stored : size_;  // no more data, or a file system without SEEK_DATA
    const off_t end = ::lseek(descriptor_, begin, SEEK_HOLE);
    if (end < begin) return size_;
    stored += static_cast<uint64_t>(end - begin);
    at = end;
  }
  return size_;  // a file of so many pieces is not an empty claim
#else
  return size_;
#endif
}

std::string FileBytes::content() const {
  check_memory(size_, [&] { return name_ + ": the file"; });
  std::string bytes(size_, '\0');
  read(0, bytes.data(), bytes.size());
  return bytes;
}

void FileBytes::read(uint64_t offset, void* out, size_t bytes) const {
  auto* target = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor_, target, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(name_, with_system_reason("cannot be read"));
    if (got == 0) refuse(name_, "the file is cut short");
    target += got;
    offset += static_cast<uint64_t>(got);
    bytes -= as_index(got);
  }
}

}  // namespace detent
