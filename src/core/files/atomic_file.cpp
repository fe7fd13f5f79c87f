#include "core/files/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string>
#include <utility>

#include "core/files/dead_temporaries.h"
#include "core/files/input_files.h"
#include "core/files/output_set.h"
#include "core/files/reach.h"
#include "core/files/unfinished.h"
#include "core/index.h"
#include "core/system_reason.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& path, int reason) {
  throw Error(ErrorCode::CannotWrite, path.string() + ": " + with_system_reason("cannot be written", reason));
}

/// Returns a name in the target's folder, so that the rename stays within one file system.
fs::path temporary_beside(const fs::path& target) {
  thread_local std::mt19937 random{std::random_device{}()};
  return target.parent_path() / temporary_name(target.filename().string(), static_cast<uint32_t>(random()));
}

/// True for a device, pipe or socket: it has no content to keep whole, and a rename would replace it by a file.
bool is_special(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

AtomicFile::AtomicFile(fs::path target, bool overwrite)
    : target_(std::move(target)), overwrite_(overwrite), special_(is_special(target_)) {
  if (special_) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    target_ = behind_links(target_);
    do {
      temporary_ = temporary_beside(target_);
      descriptor_ = make_unfinished(
          temporary_, [&] { return ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
      const int reason = errno;
      if (descriptor_ < 0) forget_unfinished(temporary_);
      if (descriptor_ < 0 && reason != EEXIST) fail(reason);
      // Between the two calls another process may have removed it as left over.
      if (descriptor_ >= 0 && !claim_temporary(descriptor_)) {
        ::close(std::exchange(descriptor_, -1));
        forget_unfinished(temporary_);
      }
    } while (descriptor_ < 0);
    claim_ = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  }
  if (descriptor_ < 0) fail(errno);
}

AtomicFile::~AtomicFile() {
  for (const int open : {descriptor_, claim_})
    if (open >= 0) ::close(open);
  if (special_ || committed_) return;
  ::unlink(temporary_.c_str());
  forget_unfinished(temporary_);
}

void AtomicFile::fail(int reason) const { cannot_write(target_, reason); }

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes.remove_prefix(as_index(written));
    size_ += static_cast<uint64_t>(written);
  }
}

void AtomicFile::write_at(uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes.remove_prefix(as_index(written));
    offset += static_cast<uint64_t>(written);
  }
}

void AtomicFile::read_back(uint64_t offset, std::span<char> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw Error(ErrorCode::CannotWrite,
                  target_.string() + ": " + with_system_reason("what was written cannot be read back"));
    out = out.subspan(as_index(got));
    offset += static_cast<uint64_t>(got);
  }
}

void AtomicFile::go_to(fs::path target) { target_ = std::move(target); }

void AtomicFile::sync() {
  if (!special_ && ::fsync(descriptor_) != 0) fail(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
}

void AtomicFile::commit() {
  if (descriptor_ >= 0) sync();
  if (special_) return;
  committed_ = true;
  OutputSet::take({temporary_, target_, overwrite_, std::exchange(claim_, -1)});
}

void write_file(const fs::path& path, std::string_view content, bool overwrite) {
  AtomicFile file(path, overwrite);
  file.write(content);
  file.commit();
}

void make_folder(const fs::path& folder) {
  check_is_no_input(folder);
  const bool was_there = is_there(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !is_folder(folder))
    throw Error(ErrorCode::CannotWrite, folder.string() + ": cannot be made a folder: " + error.message());
  if (!was_there) OutputSet::made_folder(folder);
}

void check_writable(const fs::path& path, bool overwrite) {
  check_is_no_input(path);
  if (const std::string why = no_reach(path); !why.empty() && why != kNoSuchFile)
    throw Error(ErrorCode::CannotWrite, path.string() + ": " + why);
  if (is_folder(path)) throw Error(ErrorCode::CannotWrite, path.string() + ": is a folder");
  if (is_special(path)) {
    if (::access(path.c_str(), W_OK) != 0) cannot_write(path, errno);
    return;
  }
  if (!overwrite && is_there(path))
    throw Error(ErrorCode::CannotWrite, path.string() + ": exists already", "choose another name or add --overwrite");
  const fs::path folder = folder_of(behind_links(path));
  if (!is_folder(folder))
    throw Error(ErrorCode::CannotWrite, path.string() + ": there is no folder '" + folder.string() + "'");
  if (::access(folder.c_str(), W_OK) != 0) cannot_write(path, errno);
  remove_dead_temporaries(behind_links(path));
}

}  // namespace detent
