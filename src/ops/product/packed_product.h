#pragma once

#include "ops/product/float_product.h"

namespace detent {

/// Returns a product by Detent's own kernel (ops/simd/panel_product.h). Its bits are the same on every CPU. Arguments
/// as those of make_float_product(); a constant right-hand side of rank 2 is packed once.
[[nodiscard]] std::unique_ptr<const FloatProduct> make_packed_product(const GemmOptions& options,
                                                                      const Tensor* constant_b,
                                                                      const KernelContext& context);

}  // namespace detent
