#pragma once

#include <memory>

#include "ops/kernel.h"

namespace detent {

/// Sums of products of UINT8 codes and one constant INT8 matrix, exact in 32 bits. The backend of the build has the
/// kernel.
class IntegerSums {
 public:
  virtual ~IntegerSums() = default;
  /// codes  UInt8, rows x inner. sums  Int32, rows x columns, already allocated. Returns false, and leaves the sums
  /// open, where the backend has no fast kernel for these sizes.
  [[nodiscard]] virtual bool run(const Tensor& codes, Tensor& sums, const KernelCall& call) const = 0;
};

/// weights  Int8, inner x columns, not empty. nullptr where the backend or the CPU has no such kernel.
[[nodiscard]] std::unique_ptr<const IntegerSums> make_integer_sums(const Tensor& weights);

}  // namespace detent
