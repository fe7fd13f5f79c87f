#include "exec/buffer_pool.h"

#include <algorithm>
#include <iterator>

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
  auto found = place_of(bytes);
  if (found != free_.end() && (found->first <= 2 * bytes || found->first <= 4096)) {
    found = std::prev(place_of(found->first + 1));
    Buffer* buffer = found->second;
    free_.erase(found);
    return refer(buffer);
  }
  if (!memory_has_room(bytes)) release_free();
  Buffer* buffer = make_buffer(bytes, this);
  reserved_ += capacity_of(buffer);
  return refer(buffer);
}

void BufferPool::take_back(Buffer* buffer) {
  const size_t capacity = capacity_of(buffer);
  free_.emplace(place_of(capacity + 1), capacity, buffer);  // a Loop frees its iterations' buffers, all of one size
}

std::vector<std::pair<size_t, Buffer*>>::iterator BufferPool::place_of(size_t bytes) {
  return std::ranges::lower_bound(free_, bytes, {}, &std::pair<size_t, Buffer*>::first);
}

}  // namespace detent
