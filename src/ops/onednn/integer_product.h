#pragma once

#include <memory>

#include "ops/onednn/integer_operands.h"
#include "ops/product/float_product.h"

namespace detent {

/// Returns a product between pairs that sums codes in integers (IntegerOperands); nullptr where it does not apply: also
/// for a left-hand side that is transposed, a factor alpha, and weights that are no matrix.
/// floats  multiplies dequantized numbers where oneDNN has no fast kernel for integers
[[nodiscard]] std::unique_ptr<const FloatProduct> make_integer_product(const GemmOptions& options,
                                                                       const KernelContext& context,
                                                                       std::unique_ptr<const FloatProduct> floats);
/// Returns the operands that it sums; nullptr where it does not apply.
[[nodiscard]] std::unique_ptr<const IntegerOperands> find_product_operands(const GemmOptions& options,
                                                                           const KernelContext& context);

}  // namespace detent
