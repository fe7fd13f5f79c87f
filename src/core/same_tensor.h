#pragma once

#include <cstring>

#include "detent/base/tensor.h"

namespace detent {

/// True when two tensors have the same type, shape and bytes.
[[nodiscard]] inline bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         (a.raw() == b.raw() || a.byte_count() == 0 || std::memcmp(a.raw(), b.raw(), a.byte_count()) == 0);
}

}  // namespace detent
