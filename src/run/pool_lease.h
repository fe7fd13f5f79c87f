#pragma once

#include <mutex>
#include <vector>

#include "exec/buffer_pool.h"

namespace detent {

/// Buffer pools for threads that work at the same time, one each: as many as there are threads.
class PoolLease {
 public:
  explicit PoolLease(size_t threads);

  /// A pool as long as this lives.
  class Held {
   public:
    explicit Held(PoolLease& lease) : lease_(lease), pool_(lease.take()) {}
    ~Held() { lease_.give_back(pool_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    [[nodiscard]] BufferPool& operator*() const { return *pool_; }

   private:
    PoolLease& lease_;
    BufferPool* pool_;
  };

 private:
  BufferPool* take();
  void give_back(BufferPool* pool);

  std::mutex mutex_;
  std::vector<BufferPool> pools_;
  std::vector<BufferPool*> free_;
};

}  // namespace detent
