#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

#include "core/index.h"
#include "core/memory_limit.h"
#include "detent/base/tensor.h"

namespace detent {

namespace {

constexpr std::align_val_t kAlignment{64};

/// Asks for 2 MiB pages for large memory: packed weights of gigabytes otherwise cost a second of page faults. Only
/// whole large pages inside the block, so that no more memory is taken.
void ask_for_large_pages(std::byte* data, size_t bytes) {
  constexpr size_t kWorth = size_t{4} << 20, kPage = size_t{2} << 20;
  if (bytes < kWorth) return;
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (begin + kPage - 1) / kPage * kPage, last = (begin + bytes) / kPage * kPage;
  ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // if refused, small pages are used
}

/// Heap memory that keeps a few larger blocks for reuse: samples of a run have one size, and a fresh block costs a page
/// fault every 4 KB (2 % of a run of MobileNetV2), or from 64 KiB on the merging of all free ones (4 % of a small ViT).
class HeapAllocator final : public Allocator {
 public:
  BufferRef allocate(size_t bytes) override {
    if (bytes >= kLarge) {
      const std::lock_guard lock(mutex_);
      for (size_t i = kept_.size(); i-- > 0;) {
        Buffer* buffer = kept_[i];
        if (capacity_of(buffer) < bytes || capacity_of(buffer) > bytes + bytes / 4) continue;
        kept_bytes_ -= capacity_of(buffer);
        kept_.erase(kept_.begin() + as_extent(i));
        return refer(buffer);
      }
    }
    return refer(make_buffer(bytes, this));
  }

  /// Returns the blocks that are kept to the system: others need the room below memory_limit().
  void release_kept() {
    const std::lock_guard lock(mutex_);
    for (Buffer* const buffer : kept_) destroy(buffer);
    kept_.clear();
    kept_bytes_ = 0;
  }

 private:
  static constexpr size_t kLarge = 16 * 1024;
  static constexpr size_t kMostBlocks = 64;
  static constexpr size_t kMostKept = 8 * 1024 * 1024;  // all of them together

  void take_back(Buffer* buffer) override {
    const size_t bytes = capacity_of(buffer);
    if (bytes >= kLarge && bytes <= kMostKept) {
      const std::lock_guard lock(mutex_);
      while (!kept_.empty() && (kept_bytes_ + bytes > kMostKept || kept_.size() == kMostBlocks)) {  // the oldest goes
        kept_bytes_ -= capacity_of(kept_.front());
        destroy(kept_.front());
        kept_.erase(kept_.begin());
      }
      kept_.push_back(buffer);
      kept_bytes_ += bytes;
      return;
    }
    destroy(buffer);
  }

  std::mutex mutex_;
  std::vector<Buffer*> kept_;  // oldest first
  size_t kept_bytes_ = 0;
};

HeapAllocator& the_heap() {
  static HeapAllocator* const allocator = new HeapAllocator;  // never destroyed: constants may outlive static storage
  return *allocator;
}

}  // namespace

BufferRef::BufferRef(Buffer* buffer) : buffer_(buffer) {
  std::atomic_ref<int>(buffer_->references_).store(1, std::memory_order_relaxed);
}

BufferRef::BufferRef(const BufferRef& other) : buffer_(other.buffer_) {
  if (buffer_) std::atomic_ref<int>(buffer_->references_).fetch_add(1, std::memory_order_relaxed);
}

void BufferRef::reset() {
  if (!buffer_) return;
  if (std::atomic_ref<int>(buffer_->references_).fetch_sub(1, std::memory_order_acq_rel) == 1)
    buffer_->owner_->take_back(buffer_);
  buffer_ = nullptr;
}

bool BufferRef::unique() const {
  return buffer_ && std::atomic_ref<int>(buffer_->references_).load(std::memory_order_acquire) == 1;
}

Allocator& Allocator::heap() { return the_heap(); }

Buffer* Allocator::make_buffer(size_t bytes, Allocator* owner) {
  const size_t rounded = std::max<size_t>(64, bytes / 64 * 64 + (bytes % 64 == 0 ? 0 : 64));
  if (!memory_has_room(rounded)) the_heap().release_kept();
  take_memory(rounded);
  Buffer* buffer = nullptr;
  try {
    buffer = new Buffer;
    buffer->data_ = static_cast<std::byte*>(::operator new(rounded, kAlignment));
    ask_for_large_pages(buffer->data_, rounded);
  } catch (const std::bad_alloc&) {
    delete buffer;
    release_memory(rounded);
    throw;
  }
  buffer->capacity_ = rounded;
  buffer->owner_ = owner;
  return buffer;
}

void Allocator::destroy(Buffer* buffer) {
  release_memory(buffer->capacity_);
  ::operator delete(buffer->data_, kAlignment);
  delete buffer;
}

}  // namespace detent
