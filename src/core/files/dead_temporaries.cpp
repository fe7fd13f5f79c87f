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

#include "core/files/reach.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tmp";
constexpr size_t kDigits = 8;

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

/// Returns the name without what temporary_name() puts around it, and sets `boot` to the boot's digits; "" for names of
/// other files. Version 0.1 wrote random digits alone.
std::string_view target_of(std::string_view name, std::string_view& boot) {
  if (!name.starts_with('.') || !name.ends_with(kEnding)) return {};
  name = name.substr(1, name.size() - 1 - kEnding.size());
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view digits = name.substr(dot + 1);
  const bool one = digits.size() == kDigits && is_digits(digits);
  const bool two = digits.size() == 2 * kDigits + 1 && digits[kDigits] == '-' && is_digits(digits.substr(0, kDigits)) &&
                   is_digits(digits.substr(kDigits + 1));
  if (!one && !two) return {};
  boot = two ? digits.substr(0, kDigits) : std::string_view();
  return name.substr(0, dot);
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

const std::string& boot_digits() {
  static const std::string digits = [] {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id.size() < kDigits ? std::string(kDigits, '0') : id.substr(0, kDigits);
  }();
  return digits;
}

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

void remove_dead_temporaries_in(const fs::path& folder) { remove_dead_temporaries(folder / ""); }

void remove_dead_temporaries(const fs::path& target) {
  const std::string name = target.filename().string();
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(target), error), end; !error && entry != end; entry.increment(error)) {
    const std::string found = entry->path().filename().string();
    std::string_view boot;
    const std::string_view of = target_of(found, boot);
    const bool same_boot = boot == boot_digits();
    if (!of.empty() && (name.empty() ? same_boot : of == name)) remove_if_dead(entry->path(), same_boot);
  }
}

}  // namespace detent
