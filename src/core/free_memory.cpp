// Memory that this process can still take, as Linux reports it. On other systems the files are absent and only
// RLIMIT_AS applies.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/memory_limit.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

std::optional<uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  uint64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;  // "max" is not a number: no limit
}

/// Returns the number behind `key` in a file of lines "key number".
std::optional<uint64_t> number_behind(const fs::path& file, const std::string& key) {
  std::ifstream in(file);
  std::string word;
  while (in >> word) {
    uint64_t value = 0;
    if (word == key && in >> value) return value;
    in.clear();
    std::getline(in, word);
  }
  return std::nullopt;
}

/// Returns the memory that a control group leaves to its processes.
std::optional<uint64_t> left_in_group(const fs::path& group, const char* limit_name, const char* usage_name,
                                      const char* droppable_name) {
  const auto limit = number_in(group / limit_name), usage = number_in(group / usage_name);
  if (!limit || !usage) return std::nullopt;
  const uint64_t droppable = number_behind(group / "memory.stat", droppable_name).value_or(0);
  const uint64_t taken = *usage - std::min(*usage, droppable);
  return *limit - std::min(*limit, taken);
}

/// Returns the least that a group and its parents leave. In a container the path may be the host's: only the root is
/// visible then.
uint64_t left_in_groups(const fs::path& root, fs::path path, const char* limit_name, const char* usage_name,
                        const char* droppable_name) {
  uint64_t least = kAddressableBytes;
  for (path = path.relative_path();; path = path.parent_path()) {
    least =
        std::min(least, left_in_group(root / path, limit_name, usage_name, droppable_name).value_or(kAddressableBytes));
    if (path.empty()) return least;
  }
}

uint64_t left_by_control_groups() {
  uint64_t least = kAddressableBytes;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/path" in version 2, "9:memory:/path" in version 1
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty())
      least = std::min(least, left_in_groups("/sys/fs/cgroup", path, "memory.max", "memory.current", "inactive_file"));
    else if (controllers == "memory")
      least = std::min(least, left_in_groups("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes",
                                             "memory.usage_in_bytes", "total_inactive_file"));
  }
  return least;
}

uint64_t left_of_address_space() {
  rlimit allowed{};
  if (::getrlimit(RLIMIT_AS, &allowed) != 0 || allowed.rlim_cur == RLIM_INFINITY) return kAddressableBytes;
  const uint64_t pages = number_in("/proc/self/statm").value_or(0);
  const uint64_t taken = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return allowed.rlim_cur - std::min<uint64_t>(allowed.rlim_cur, taken);
}

}  // namespace

uint64_t free_memory() {
  const auto kib = number_behind("/proc/meminfo", "MemAvailable:");
  const uint64_t available = kib ? *kib * 1024 : kAddressableBytes;
  // Never 0, which means "unknown": the error then names the limit.
  return std::max<uint64_t>(
      1, std::min({available, left_by_control_groups(), left_of_address_space(), kAddressableBytes}));
}

size_t threads_with_room(size_t wanted) {
  // Half of the room, and for each thread three stacks: of the sample's thread, of OpenMP's, and of what both start.
  constexpr uint64_t kUsualStack = 8 << 20, kStacks = 3, kParts = 2;
  static const uint64_t left = left_of_address_space();
  if (left == kAddressableBytes) return wanted;
  rlimit stack{};
  const bool known = ::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY;
  const uint64_t bytes = kStacks * std::max<uint64_t>(known ? stack.rlim_cur : kUsualStack, 1);
  return static_cast<size_t>(std::clamp<uint64_t>(left / kParts / bytes, 1, wanted));
}

double peak_memory_mb() {
  return static_cast<double>(number_behind("/proc/self/status", "VmHWM:").value_or(0)) * 1024 / 1e6;
}

}  // namespace detent
