#include "fuzz/fuzz_input.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <new>
#include <stop_token>
#include <string>
#include <thread>

#include <unistd.h>

#include "core/memory_limit.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"

namespace detent::fuzz {

namespace {

namespace fs = std::filesystem;

/// Interrupts work that takes longer than a second, as Ctrl-C does.
class Watch {
 public:
  Watch() : thread_([this](const std::stop_token& stop) { wait(stop); }) {}

  void begin() {
    const std::lock_guard lock(mutex_);
    ++run_, running_ = true;
    changed_.notify_one();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    running_ = false;
    interrupted() = false;
    changed_.notify_one();
  }

 private:
  void wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return running_; })) {
      const uint64_t run = run_;
      const bool over =
          changed_.wait_for(lock, stop, std::chrono::seconds(1), [&] { return !running_ || run_ != run; });
      if (over || stop.stop_requested()) continue;
      interrupted() = true;
      changed_.wait(lock, stop, [&] { return !running_ || run_ != run; });
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  uint64_t run_ = 0;
  bool running_ = false;
  std::jthread thread_;  // last, because it starts when all members exist
};

class Scratch {
 public:
  Scratch() {
    const fs::path memory = "/dev/shm";
    const fs::path base = ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
    std::string name = (base / "detent_fuzz_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::perror(name.c_str()), std::abort();
    folder_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

[[noreturn]] void found(const char* what, const char* message) {
  std::fprintf(stderr, "\nfinding: %s: %s\n", what, message);
  std::abort();
}

bool is_documented(ErrorCode code) {
  switch (code) {
    case ErrorCode::Usage:
    case ErrorCode::InvalidModel:
    case ErrorCode::Unsupported:
    case ErrorCode::InvalidData:
    case ErrorCode::InvalidOption:
    case ErrorCode::TableMismatch:
    case ErrorCode::Interrupted: return true;
    default: return false;
  }
}

}  // namespace

void expect_documented(const std::function<void()>& work) {
  static Watch watch;
  set_memory_limit(kMemoryLimit);
  watch.begin();
  try {
    work();
  } catch (const Error& error) {
    if (!is_documented(error.code()))
      found(("error " + std::to_string(static_cast<int>(error.code()))).c_str(), error.what());
  } catch (const std::exception& error) {
    found("another exception", error.what());
  }
  watch.end();
}

const fs::path& as_file(const uint8_t* data, size_t size, std::string_view name) {
  static const Scratch scratch;
  static fs::path path;
  path = scratch.folder() / name;
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  stream.close();
  if (!stream) found("the harness", "its scratch file cannot be written");
  return path;
}

}  // namespace detent::fuzz
