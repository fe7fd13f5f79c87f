#include "exec/allocation_limit.h"

#include <cstdlib>
#include <new>

namespace detent::test {
size_t largest_allocation = size_t{1} << 40;
}  // namespace detent::test

void* operator new(size_t bytes, std::align_val_t alignment) {
  if (bytes > detent::test::largest_allocation) throw std::bad_alloc();
  void* memory = nullptr;
  if (posix_memalign(&memory, static_cast<size_t>(alignment), bytes) != 0) throw std::bad_alloc();
  return memory;
}
void* operator new(size_t bytes) {
  if (bytes > detent::test::largest_allocation) throw std::bad_alloc();
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return bytes > detent::test::largest_allocation ? nullptr : std::malloc(bytes ? bytes : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
