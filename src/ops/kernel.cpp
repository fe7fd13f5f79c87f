#include "ops/kernel.h"

#include <atomic>

namespace detent {

const Tensor* KernelContext::constant(size_t slot) const {
  const MaybeValue value = node.input(slot);
  if (!value) return nullptr;
  if (folded && !(*folded)[*value].empty_handle()) return &(*folded)[*value];
  return graph.constant(value);
}

OwnerNumber::OwnerNumber() {
  static std::atomic<uint64_t> next{0};
  value_ = next.fetch_add(1, std::memory_order_relaxed);
}

void* Workspace::scratch(size_t bytes) {
  if (!scratch_ || scratch_.capacity() < bytes) {
    scratch_.reset();
    scratch_ = Allocator::heap().allocate(bytes);
  }
  return scratch_.data();
}

Tensor& KernelCall::make_output_like(size_t i, size_t from) {
  const Tensor& source = inputs_[from];
  if (!source.owns_memory_alone()) return make_output(i, source.type(), source.shape(), source.layout());
  outputs_[i] = source;
  if (i == 0) tell_output(source.shape());
  return outputs_[i];
}

SubgraphRunner& KernelCall::subgraphs() const {
  if (!subgraphs_) throw Error(ErrorCode::Internal, "a node with subgraphs was run without a runner for them");
  return *subgraphs_;
}

}  // namespace detent
