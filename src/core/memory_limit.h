#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detent/base/error.h"

namespace detent {

/// Bytes that 64-bit processors address: the upper bound of tensors and limits.
constexpr uint64_t kAddressableBytes = uint64_t{1} << 56;

/// Returns the bytes that tensors, tables, images and arrays may take, each and together. Without set_memory_limit it
/// is free_memory() at the first call.
[[nodiscard]] uint64_t memory_limit();
/// Sets the limit of the whole process; 0: the memory that is free now.
void set_memory_limit(uint64_t bytes);

/// Returns the bytes that this process can still take: the least of what the system has available, what its control
/// groups leave and what RLIMIT_AS leaves. 2^56 when none of them is known.
/// Source  proc(5) MemAvailable; cgroups(7), v1 and v2; pages of files that a group can drop count as free.
[[nodiscard]] uint64_t free_memory();
/// Returns `wanted`, or the number of threads whose stacks RLIMIT_AS has room for besides what they work on; at
/// least 1. The room is measured at the first call, before there are threads.
[[nodiscard]] size_t threads_with_room(size_t wanted);
/// Returns the peak resident memory of this process in MB (10^6 bytes); 0 when unknown.
[[nodiscard]] double peak_memory_mb();

/// Returns "4.0 TB", "12.3 GB" or "512 bytes": powers of 1000, one decimal.
[[nodiscard]] std::string memory_text(uint64_t bytes);

/// Returns the bytes of "10M" (10000000): a whole number with K, M, G (1000, 1000^2, 1000^3) or nothing behind it.
/// Errors  Usage for other text, for 0, and for more than 2^56 bytes.
[[nodiscard]] uint64_t parse_memory(std::string_view text);

/// Refuses `bytes` beyond the limit before they are allocated. `what` is called only then.
/// Errors  InvalidData "WHAT takes 4.0 TB; the limit is 12.3 GB (--max-memory)".
template <class What>
void check_memory(uint64_t bytes, What&& what);

/// True when `bytes` more stay within the limit, together with the buffers.
[[nodiscard]] bool memory_has_room(uint64_t bytes);
/// Returns the bytes that buffers hold now.
[[nodiscard]] uint64_t held_memory();
/// Counts `bytes` of a new buffer.
/// Errors  InvalidData beyond the limit, alone or with the held bytes; nothing is counted then.
void take_memory(uint64_t bytes);
/// Counts the end of a buffer.
void release_memory(uint64_t bytes);

/// Returns the error for std::bad_alloc and std::length_error while a node runs: the system refused memory below the
/// limit.
[[nodiscard]] Error system_out_of_memory();

/// True for the errors of memory, which say how to change the limit.
[[nodiscard]] bool is_about_memory(const Error& error);

[[noreturn]] void refuse_memory(uint64_t bytes, const std::string& what);

template <class What>
void check_memory(uint64_t bytes, What&& what) {
  if (bytes > memory_limit()) refuse_memory(bytes, what());
}

}  // namespace detent
