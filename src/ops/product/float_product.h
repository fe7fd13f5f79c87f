#pragma once

#include <memory>

#include "ops/kernel.h"

namespace detent {

struct GemmOptions {
  bool transpose_a = false, transpose_b = false;
  float alpha = 1, beta = 1;
};

/// A row-major product of float matrices, or of the codes of a pair and a weight. Used by MatMul and Gemm. The backend
/// of the build packs a constant right-hand side; whether that copy is kept changes time and memory, and no bit of the
/// result.
class FloatProduct {
 public:
  virtual ~FloatProduct() = default;
  /// a, b  rank >= 2, batch extents broadcast, no zero extents. bias  per output column, or an empty handle; only with
  /// alpha 1. output  already allocated.
  virtual void run(const Tensor& a, const Tensor& b, const Tensor& bias, Tensor& output,
                   const KernelCall& call) const = 0;
  /// True where `a` may hold codes of this type, which the pair before it would dequantize; `b` is not read then.
  [[nodiscard]] virtual bool takes_codes(DataType /*type*/) const { return false; }
};

/// options  beta is left to the caller. constant_b  nullptr when it varies.
[[nodiscard]] std::unique_ptr<const FloatProduct> make_float_product(const GemmOptions& options,
                                                                     const Tensor* constant_b,
                                                                     const KernelContext& context);
/// True where that product takes codes.
[[nodiscard]] bool product_takes_codes(const GemmOptions& options, const KernelContext& context);

}  // namespace detent
