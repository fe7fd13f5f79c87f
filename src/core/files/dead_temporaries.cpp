#include "core/files/dead_temporaries.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string_view>

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tmp";
constexpr size_t kDigits = 8;

/// Returns eight hexadecimal digits that differ after every start of the kernel and are equal in all its containers.
const std::string& boot_digits() {
  static const std::string digits = [] {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id.size() < kDigits ? std::string(kDigits, '0') : id.substr(0, kDigits);
  }();
  return digits;
}

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

/// True for names from temporary_name() and from version 0.1 (random digits alone); sets `boot` to the first digits.
bool is_temporary_of(std::string_view name, const std::string& target, std::string_view& boot) {
  const std::string beginning = "." + target + ".";
  if (!name.starts_with(beginning) || !name.ends_with(kEnding)) return false;
  if (name.size() < beginning.size() + kDigits + kEnding.size()) return false;
  const std::string_view middle = name.substr(beginning.size(), name.size() - beginning.size() - kEnding.size());
  boot = middle.substr(0, kDigits);
  if (!is_digits(boot)) return false;
  if (middle.size() == kDigits) return true;
  return middle.size() == 2 * kDigits + 1 && middle[kDigits] == '-' && is_digits(middle.substr(kDigits + 1));
}

/// True when the file was not written for an hour, far longer than one write takes.
bool is_old(int descriptor) {
  constexpr time_t kHour = 3600;
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_mtime + kHour < std::time(nullptr);
}

void remove_if_dead(const fs::path& path, bool same_boot) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && (same_boot || is_old(descriptor))) ::unlink(path.c_str());
  ::close(descriptor);
}

}  // namespace

std::string temporary_name(const std::string& name, uint32_t random) {
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%08x", random);
  return "." + name + "." + boot_digits() + "-" + digits + std::string(kEnding);
}

bool claim_temporary(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

void remove_dead_temporaries(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const std::string name = target.filename().string();
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string found = entry->path().filename().string();
    std::string_view boot;
    if (is_temporary_of(found, name, boot)) remove_if_dead(entry->path(), boot == boot_digits());
  }
}

}  // namespace detent
