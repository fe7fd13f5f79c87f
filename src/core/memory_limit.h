#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detent/base/error.h"

namespace detent {

/// Bytes that 64-bit processors address: no tensor is larger, and no limit.
constexpr uint64_t kAddressableBytes = uint64_t{1} << 56;

/// Bytes that tensors, tables, images and arrays may take, each and together. Until set_memory_limit it is what
/// free_memory() said when it was first asked for.
[[nodiscard]] uint64_t memory_limit();
/// From now on this many bytes, in the whole process; 0: what is free now.
void set_memory_limit(uint64_t bytes);

/// Bytes that this process can still take: the least of what the system has available, what its control groups leave
/// and what RLIMIT_AS leaves. 2^56 where none of them is known.
/// Source  proc(5) MemAvailable; cgroups(7), v1 and v2;
/// pages of files that a group can drop count as free.
[[nodiscard]] uint64_t free_memory();

/// "4.0 TB", "12.3 GB", "512 bytes": powers of 1000, one decimal.
[[nodiscard]] std::string memory_text(uint64_t bytes);

/// "10M" -> 10000000: a whole number with K, M or G behind it (1000, 1000^2, 1000^3 bytes) or nothing.
/// Errors  Usage for other text, for 0, and for more than 2^56 bytes.
[[nodiscard]] uint64_t parse_memory(std::string_view text);

/// Errors  InvalidData "WHAT takes 4.0 TB; the limit is 12.3 GB (--max-memory)" when `bytes` are beyond the limit:
/// asked before memory is. `what` is made only then.
template <class What>
void check_memory(uint64_t bytes, What&& what);

/// True when `bytes` more would stay within the limit, with what buffers hold.
[[nodiscard]] bool memory_has_room(uint64_t bytes);
/// What buffers hold now.
[[nodiscard]] uint64_t held_memory();
/// Counts `bytes` that a buffer takes from now on.
/// Errors  InvalidData beyond the limit, by themselves or with what is
/// held; nothing is counted then.
void take_memory(uint64_t bytes);
/// The buffer is gone.
void release_memory(uint64_t bytes);

/// The error for std::bad_alloc and std::length_error while a node runs: the system refused less than the limit.
[[nodiscard]] Error system_out_of_memory();

[[noreturn]] void refuse_memory(uint64_t bytes, const std::string& what);

template <class What>
void check_memory(uint64_t bytes, What&& what) {
  if (bytes > memory_limit()) refuse_memory(bytes, what());
}

}  // namespace detent
