#include "exec/buffer_pool.h"

#include "core/memory_limit.h"

namespace detent {

BufferPool::~BufferPool() { release_free(); }

void BufferPool::release_free() {
  for (const auto& [capacity, buffer] : free_) {
    reserved_ -= capacity;
    destroy(buffer);
  }
  free_.clear();
}

BufferRef BufferPool::allocate(size_t bytes) {
  // The smallest free buffer that fits, unless it would waste more than half of itself.
  const auto found = free_.lower_bound(bytes);
  if (found != free_.end() && (found->first <= 2 * bytes || found->first <= 4096)) {
    Buffer* buffer = found->second;
    free_.erase(found);
    return refer(buffer);
  }
  if (!memory_has_room(bytes)) release_free();
  Buffer* buffer = make_buffer(bytes, this);
  reserved_ += capacity_of(buffer);
  return refer(buffer);
}

void BufferPool::take_back(Buffer* buffer) { free_.emplace(capacity_of(buffer), buffer); }

}  // namespace detent
