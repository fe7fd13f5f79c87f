#include "core/index.h"
#include "ops/product/integer_sums.h"
#include "ops/product/packed_product.h"
#include "ops/simd/panel_product.h"
#include "ops/transposed_product.h"

namespace detent {

std::unique_ptr<const FloatProduct> make_float_product(const GemmOptions& options, const Tensor* constant_b,
                                                       const KernelContext& context) {
  return make_packed_product(options, constant_b, context);
}

std::unique_ptr<const IntegerSums> make_integer_sums(const Tensor& /*weights*/) { return nullptr; }

bool product_takes_codes(const GemmOptions& /*options*/, const KernelContext& /*context*/) { return false; }

void multiply_transposed(const TransposedProduct& product) {
  const auto& [a, a_row, b, c, c_row, m, n, k, adds] = product;
  multiply_dots({.a = a,
                 .a_row = as_index(a_row),
                 .b = b,
                 .b_row = as_index(k),
                 .c = c,
                 .c_row = as_index(c_row),
                 .m = as_index(m),
                 .n = as_index(n),
                 .k = as_index(k),
                 .adds = adds});
}

}  // namespace detent
