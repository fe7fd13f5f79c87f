#include "run/pool_lease.h"

namespace detent {

PoolLease::PoolLease(size_t threads) : pools_(threads) {
  for (BufferPool& pool : pools_) free_.push_back(&pool);
}

BufferPool* PoolLease::take() {
  const std::scoped_lock lock(mutex_);
  BufferPool* pool = free_.back();
  free_.pop_back();
  return pool;
}

void PoolLease::give_back(BufferPool* pool) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(pool);
}

}  // namespace detent
