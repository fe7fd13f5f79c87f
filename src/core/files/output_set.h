#pragma once

#include <filesystem>
#include <functional>
#include <vector>

namespace detent {

/// A written file that does not have its name yet, owned until it has.
class StagedFile {
 public:
  /// claim  descriptor with the lock of a living writer (dead_temporaries.h), which this object closes; -1: none.
  /// A file whose `temporary` is its `target` has its name, and goes with the object until named() is called.
  StagedFile(std::filesystem::path temporary, std::filesystem::path target, bool overwrite, int claim);
  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&&) = delete;
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  /// Removes the file unless it has its name, or the file that it replaced.
  ~StagedFile();

  /// Gives the file its name; an older file is kept until the object ends.
  /// Errors  CannotWrite naming the target.
  void name();
  /// Undoes name(), as far as the file system permits.
  void take_back() noexcept;
  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

 private:
  enum class State { Waiting, New, Exchanged, Replaced };

  std::filesystem::path temporary_, target_;
  bool overwrite_;
  int claim_;
  State state_ = State::Waiting;
};

/// Files of a run that appear together or not at all. While an object lives, AtomicFile::commit() of its thread leaves
/// files under their temporary names until commit(). An object within the life of another one of the thread hands its
/// files over to that one.
class OutputSet {
 public:
  OutputSet();
  /// Removes the files that were not committed; older ones stay as they were.
  ~OutputSet();
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;

  /// Gives all files their names. The process does not end for a signal meanwhile (unfinished.h).
  /// Errors  CannotWrite when one cannot get its name, or names an input: none has a new name then.
  void commit();

  /// Tells the set of this thread that a folder was made: it goes with the files, unless others lie in it.
  static void made_folder(std::filesystem::path folder);

  /// Calls `begin` before the files of this thread's set get their names, and its result afterwards.
  using Around = std::function<std::function<void()>()>;
  void around(Around begin);

  /// Hands a file to the set of this thread; without one it gets its name at once.
  /// Errors  CannotWrite when another output of the set has the same place; those of commit().
  static void take(StagedFile file);
  /// Returns the path at which the content of an output of this thread lies now: its temporary name, or `path`.
  [[nodiscard]] static std::filesystem::path content_of(const std::filesystem::path& path);

 private:
  void name_all();

  OutputSet* outer_;
  std::vector<StagedFile> files_;
  std::vector<Around> around_;
  std::vector<std::filesystem::path> folders_;
};

/// While an object lives, files of this thread get their names at once: scratch files, and results that must outlive a
/// run that fails.
class AtOnce {
 public:
  AtOnce();
  ~AtOnce();
  AtOnce(const AtOnce&) = delete;
  AtOnce& operator=(const AtOnce&) = delete;

 private:
  OutputSet* set_;
};

}  // namespace detent
