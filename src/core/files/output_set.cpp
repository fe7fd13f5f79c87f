#include "core/files/output_set.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

#include "core/files/input_files.h"
#include "core/files/reach.h"
#include "core/files/unfinished.h"
#include "core/system_reason.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

thread_local OutputSet* current = nullptr;

/// Makes renames durable. Failures are ignored: the files are complete either way.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

/// Renames, and returns false with errno set where that fails.
bool renamed(const fs::path& from, const fs::path& to, unsigned flags) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
}

bool is_not_supported(int reason) { return reason == EINVAL || reason == ENOSYS; }

}  // namespace

StagedFile::StagedFile(fs::path temporary, fs::path target, bool overwrite, int claim)
    : temporary_(std::move(temporary)), target_(std::move(target)), overwrite_(overwrite), claim_(claim) {}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : temporary_(std::move(other.temporary_)), target_(std::move(other.target_)), overwrite_(other.overwrite_),
      claim_(std::exchange(other.claim_, -1)), state_(other.state_) {
  other.temporary_.clear();
}

StagedFile::~StagedFile() {
  if (claim_ >= 0) ::close(claim_);
  if (temporary_.empty()) return;
  const bool older = state_ == State::Exchanged;  // lies at the temporary name now
  if (state_ == State::Waiting || older) ::unlink(temporary_.c_str());
  forget_unfinished(temporary_);
}

void StagedFile::name() {
  const auto fail = [this] {
    throw Error(ErrorCode::CannotWrite, target_.string() + ": " + with_system_reason("cannot be written"));
  };
  if (temporary_ == target_) {
    state_ = State::New;
    return;
  }
  if (overwrite_) {
    // The older file takes the temporary name, so that take_back() can undo it. It must not be a folder.
    if (is_folder(target_)) errno = EISDIR, fail();
    if (renamed(temporary_, target_, RENAME_EXCHANGE)) {
      state_ = State::Exchanged;
      return;
    }
    if (errno != ENOENT && !is_not_supported(errno)) fail();
  }
  if (renamed(temporary_, target_, RENAME_NOREPLACE)) {
    state_ = State::New;
    return;
  }
  const bool was_there = is_there(target_);
  if (errno == EEXIST ? !overwrite_ : !is_not_supported(errno)) fail();
  if (was_there && !overwrite_) errno = EEXIST, fail();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  state_ = was_there ? State::Replaced : State::New;
}

void StagedFile::take_back() noexcept {
  if (temporary_ != target_ && state_ == State::New) ::rename(target_.c_str(), temporary_.c_str());
  if (state_ == State::Exchanged) renamed(temporary_, target_, RENAME_EXCHANGE);
  if (state_ != State::Replaced) state_ = State::Waiting;
}

OutputSet::OutputSet() : outer_(std::exchange(current, this)) {}

OutputSet::~OutputSet() {
  current = outer_;
  files_.clear();
  std::error_code not_empty;
  for (const fs::path& folder : folders_ | std::views::reverse) fs::remove(folder, not_empty);
}

void OutputSet::made_folder(fs::path folder) {
  if (current) current->folders_.push_back(std::move(folder));
}

void OutputSet::take(StagedFile file) {
  const fs::path place = place_of(file.target());
  for (const OutputSet* set = current; set; set = set->outer_)
    for (const StagedFile& other : set->files_)
      if (place_of(other.target()) == place)
        throw Error(ErrorCode::CannotWrite, file.target().string() + ": two outputs of this run have this name",
                    "choose another name");
  if (current) {
    current->files_.push_back(std::move(file));
    return;
  }
  OutputSet alone;
  alone.files_.push_back(std::move(file));
  alone.commit();
}

void OutputSet::around(Around begin) { around_.push_back(std::move(begin)); }

void OutputSet::commit() {
  if (!outer_) return name_all();
  std::ranges::move(files_, std::back_inserter(outer_->files_));
  std::ranges::move(around_, std::back_inserter(outer_->around_));
  std::ranges::move(folders_, std::back_inserter(outer_->folders_));
  files_.clear();
  around_.clear();
  folders_.clear();
}

void OutputSet::name_all() {
  for (const StagedFile& file : files_) check_is_no_input(file.target());
  std::vector<std::function<void()>> afterwards;
  for (const Around& begin : around_) afterwards.push_back(begin());
  finish_together([this] {
    size_t named = 0;
    try {
      for (; named < files_.size(); ++named) files_[named].name();
    } catch (...) {
      while (named > 0) files_[--named].take_back();
      throw;
    }
  });
  std::set<fs::path> folders;
  for (const StagedFile& file : files_) folders.insert(folder_of(file.target()));
  files_.clear();
  around_.clear();
  folders_.clear();
  for (const fs::path& folder : folders) sync_folder(folder);
  for (const auto& work : afterwards) work();
}

AtOnce::AtOnce() : set_(std::exchange(current, nullptr)) {}

AtOnce::~AtOnce() { current = set_; }

fs::path OutputSet::content_of(const fs::path& path) {
  const fs::path place = current ? place_of(path) : path;
  for (const OutputSet* set = current; set; set = set->outer_)
    for (const StagedFile& file : set->files_)
      if (place_of(file.target()) == place) return file.temporary();
  return path;
}

}  // namespace detent
