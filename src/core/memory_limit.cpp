#include "core/memory_limit.h"

#include <array>
#include <atomic>
#include <string_view>

#include <fmt/core.h>

#include "core/parse.h"

namespace detent {

namespace {

std::atomic<uint64_t> limit{0};  // 0: not set yet
std::atomic<uint64_t> held{0};

[[noreturn]] void refuse_size(std::string_view text) {
  throw Error(ErrorCode::Usage, "'" + std::string(text) + "' is no size in bytes", "such as 512M or 8G");
}

}  // namespace

uint64_t memory_limit() {
  const uint64_t set = limit.load(std::memory_order_relaxed);
  if (set != 0) return set;
  uint64_t unset = 0;
  const uint64_t found = free_memory();
  return limit.compare_exchange_strong(unset, found) ? found : unset;  // another thread may have been first
}

void set_memory_limit(uint64_t bytes) { limit.store(bytes == 0 ? free_memory() : bytes, std::memory_order_relaxed); }

std::string memory_text(uint64_t bytes) {
  static constexpr std::array<const char*, 6> kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000;  // 999.95 would be shown as 1000.0
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

uint64_t parse_memory(std::string_view text) {
  std::string_view suffix = text;
  const uint64_t bytes = take_number<uint64_t>(suffix).value_or(0);
  uint64_t unit = 1;
  if (suffix == "K" || suffix == "k")
    unit = 1'000;
  else if (suffix == "M" || suffix == "m")
    unit = 1'000'000;
  else if (suffix == "G" || suffix == "g")
    unit = 1'000'000'000;
  else if (!suffix.empty())
    refuse_size(text);
  if (bytes == 0 || bytes > kAddressableBytes / unit) refuse_size(text);
  return bytes * unit;
}

bool memory_has_room(uint64_t bytes) {
  const uint64_t most = memory_limit(), taken = held.load(std::memory_order_relaxed);
  return bytes <= most && taken <= most - bytes;
}

uint64_t held_memory() { return held.load(std::memory_order_relaxed); }

void take_memory(uint64_t bytes) {
  check_memory(bytes, [] { return std::string("a buffer"); });
  const uint64_t before = held.fetch_add(bytes, std::memory_order_relaxed);
  if (before <= memory_limit() - bytes) return;
  held.fetch_sub(bytes, std::memory_order_relaxed);
  throw Error(ErrorCode::InvalidData,
              memory_text(bytes) + " are needed beside " + memory_text(before) + " that tensors hold; the limit is " +
                  memory_text(memory_limit()) + " (--max-memory)",
              "fewer --threads need less");
}

void release_memory(uint64_t bytes) { held.fetch_sub(bytes, std::memory_order_relaxed); }

Error system_out_of_memory() {
  return {ErrorCode::InvalidData,
          "the system gave no more memory, below the limit of " + memory_text(memory_limit()) + " (--max-memory)",
          "fewer --threads need less"};
}

bool is_about_memory(const Error& error) {
  return std::string_view(error.what()).find("(--max-memory)") != std::string_view::npos;
}

void refuse_memory(uint64_t bytes, const std::string& what) {
  throw Error(ErrorCode::InvalidData, what + " takes " + memory_text(bytes) + "; the limit is " +
                                          memory_text(memory_limit()) + " (--max-memory)");
}

}  // namespace detent
