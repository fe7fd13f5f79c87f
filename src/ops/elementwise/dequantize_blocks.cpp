#include "ops/elementwise/dequantize_blocks.h"

#include <type_traits>

#include "detent/base/error.h"
#include "ops/memory/memory_order.h"
#include "ops/operands.h"

namespace detent {

namespace {

template <class Code>
void dequantize(const Tensor& codes, const float* scales, const Code* zeros, size_t axis, int64_t block, float* out) {
  using Wide = std::conditional_t<(sizeof(Code) < 4), int32_t, int64_t>;
  const AxisView view = view_around(codes.shape(), Layout::Plain, axis);
  const int64_t blocks = (view.extent + block - 1) / block;
  const Code* in = codes.data<Code>().data();
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t a = 0; a < view.extent; ++a, in += view.inner, out += view.inner) {
      const int64_t first = (o * blocks + a / block) * view.inner;
      const float* scale = scales + first;
      if (zeros) {
        const Code* zero = zeros + first;
        for (int64_t i = 0; i < view.inner; ++i) out[i] = static_cast<float>(Wide{in[i]} - Wide{zero[i]}) * scale[i];
      } else {
        for (int64_t i = 0; i < view.inner; ++i) out[i] = static_cast<float>(Wide{in[i]}) * scale[i];
      }
    }
}

}  // namespace

void check_block_parameter(const Shape& parameter, const Shape& data, size_t axis, int64_t block) {
  bool fits = parameter.rank() == data.rank();
  for (size_t i = 0; fits && i < data.rank(); ++i)
    fits = parameter[i] == (i == axis ? data[i] / block + (data[i] % block != 0) : data[i]);
  if (fits) return;
  throw Error(ErrorCode::InvalidModel, "scales of shape " + parameter.to_string() + " do not fit blocks of " +
                                           std::to_string(block) + " along axis " + std::to_string(axis) + " of " +
                                           data.to_string());
}

void dequantize_blocks(const Tensor& codes, const Tensor& scales, const Tensor& zero_points, size_t axis, int64_t block,
                       Tensor& output) {
  check_block_parameter(scales.shape(), codes.shape(), axis, block);
  const bool has_zeros = !zero_points.empty_handle();
  if (has_zeros) check_block_parameter(zero_points.shape(), codes.shape(), axis, block);
  if (codes.element_count() == 0) return;
  const float* scale = scales.data<float>().data();
  float* out = output.mutable_data<float>().data();
  visit_number(codes.type(), [&]<class Code>(Code) {
    if constexpr (std::is_integral_v<Code> && (sizeof(Code) <= 2 || std::is_same_v<Code, int32_t>)) {
      const Code* zeros = has_zeros ? zero_points.data<Code>().data() : nullptr;
      dequantize<Code>(codes, scale, zeros, axis, block, out);
    } else {
      throw unsupported_type(codes.type());
    }
  });
}

}  // namespace detent
