#pragma once

#include <array>

#include "ops/kernel_function.h"
#include "ops/memory/broadcast.h"
#include "ops/operands.h"

namespace detent {

/// Computes out[i] = f(a[i], b[i]) over operands 0 and 1 of a broadcast, both of type T.
template <class T, class Out, class F>
void loop_over(const Broadcast& broadcast, Out* out, F f) {
  const Broadcast::Loop& inner = broadcast.loops().back();
  broadcast.for_each_row(1, [&](const auto& offsets, int64_t at) {
    const T* a = broadcast.data<T>(0) + offsets[0];
    const T* b = broadcast.data<T>(1) + offsets[1];
    for (int64_t i = 0; i < inner.extent; ++i) out[at + i] = f(a[i * inner.strides[0]], b[i * inner.strides[1]]);
  });
}

/// Returns a kernel of two operands of one type T, which gives a tensor of T: out[i] = f(a[i], b[i]) with broadcasting.
/// Errors of the kernel  InvalidData for shapes that do not fit, InvalidModel for two types, Unsupported for types that
/// are no numbers.
template <class F>
std::unique_ptr<Kernel> pairwise_kernel(F f) {
  return kernel_of([f](KernelCall& call) {
    const Tensor &a = call.input(0), &b = call.input(1);
    check_same_type(a, b);
    const Broadcast broadcast(std::array{&a, &b}, call.allocator());
    Tensor output(a.type(), broadcast.output(), call.allocator(), broadcast.layout());
    visit_number(a.type(), [&]<class T>(T) { loop_over<T>(broadcast, output.mutable_data<T>().data(), f); });
    call.set_output(0, std::move(output));
  });
}

}  // namespace detent
