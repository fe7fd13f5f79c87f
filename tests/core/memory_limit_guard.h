#pragma once

#include "core/memory_limit.h"

namespace detent::test {

/// Sets --max-memory while it lives; then the limit is the free memory again.
class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes) { set_memory_limit(bytes); }
  ~MemoryLimit() { set_memory_limit(0); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

}  // namespace detent::test
