#pragma once

#include "ops/memory/broadcast.h"

namespace detent {

/// out[i] = f(a[i], b[i]) over operands 0 and 1 of a broadcast, both of type T.
template <class T, class Out, class F>
void loop_over(const Broadcast& broadcast, Out* out, F f) {
  const Broadcast::Loop& inner = broadcast.loops().back();
  broadcast.for_each_row(1, [&](const auto& offsets, int64_t at) {
    const T* a = broadcast.data<T>(0) + offsets[0];
    const T* b = broadcast.data<T>(1) + offsets[1];
    for (int64_t i = 0; i < inner.extent; ++i) out[at + i] = f(a[i * inner.strides[0]], b[i * inner.strides[1]]);
  });
}

}  // namespace detent
