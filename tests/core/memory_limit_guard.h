#pragma once

#include "core/memory_limit.h"

namespace detent::test {

/// --max-memory while it lives; then what is free again.
class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes) { set_memory_limit(bytes); }
  ~MemoryLimit() { set_memory_limit(0); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

}  // namespace detent::test
