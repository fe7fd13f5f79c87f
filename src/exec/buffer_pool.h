#pragma once

#include <utility>
#include <vector>

#include "detent/base/tensor.h"

namespace detent {

/// An allocator that keeps freed buffers for the next node or sample: after the first sample of a shape it allocates
/// nothing. Free buffers go back to the system where --max-memory leaves no room for another. Used from one thread;
/// must outlive its buffers.
class BufferPool : public Allocator {
 public:
  BufferPool() = default;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool() override;

  [[nodiscard]] BufferRef allocate(size_t bytes) override;
  [[nodiscard]] size_t reserved_bytes() const { return reserved_; }

 private:
  void take_back(Buffer* buffer) override;
  void release_free();
  /// Returns the first free buffer of at least `bytes`.
  [[nodiscard]] std::vector<std::pair<size_t, Buffer*>>::iterator place_of(size_t bytes);

  std::vector<std::pair<size_t, Buffer*>> free_;  // by capacity, of one the last freed is last
  size_t reserved_ = 0;
};

}  // namespace detent
