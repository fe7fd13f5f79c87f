#include <algorithm>

#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"
#include "ops/window/window_loop.h"

namespace detent {

namespace {

/// Adds every column back at the place of its window; elements in the padding are dropped.
template <class T>
void fold(const T* in, T* out, const Window& window, std::span<const int64_t> image) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // integers wrap around
  const size_t axes = image.size();
  const Shape block{std::span(window.kernel)};
  for (int64_t tap = 0; tap < block.element_count(); ++tap)
    for_each_position(window.output, [&](int64_t, std::span<const int64_t> position) {
      int64_t offset = 0;
      bool inside = true;
      for (size_t k = 0; k < axes && inside; ++k) {  // further than the first axis outside, an offset may leave 64 bits
        const int64_t own = tap / block.element_count(k + 1, axes) % block[k];
        const int64_t x = position[k] * window.strides[k] - window.pad_begin[k] + own * window.dilations[k];
        inside = x >= 0 && x < image[k];
        offset = offset * image[k] + x;
      }
      if (inside) out[offset] = static_cast<T>(static_cast<Wide>(out[offset]) + static_cast<Wide>(*in));
      ++in;
    });
}

/// Computes N x (C * block) x positions -> N x C x image.
void run_col2im(KernelCall& call, const WindowAttributes& attributes) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape();
  const std::vector<int64_t> image = integers_of(call.input(1)), kernel = integers_of(call.input(2));
  if (kernel.size() != image.size())
    throw Error(ErrorCode::InvalidModel, "image_shape and block_shape must have one number for each spatial axis");
  const Window window = resolve_window(attributes, image, kernel);
  const int64_t block = Shape(std::span(kernel)).element_count(),
                positions = Shape(std::span(window.output)).element_count();
  if (shape.rank() != 3 || shape[1] % block != 0 || shape[2] != positions)
    throw Error(ErrorCode::InvalidData, "columns of shape " + shape.to_string() + " do not fit blocks of " +
                                            std::to_string(block) + " at " + std::to_string(positions) + " positions");
  Shape to{shape[0], shape[1] / block};
  for (const int64_t extent : image) to.push_back(extent);
  Tensor output(input.type(), to, call.allocator());
  visit_number(input.type(), [&]<class T>(T) {
    const T* in = input.data<T>().data();
    T* out = output.mutable_data<T>().data();
    std::fill_n(out, to.element_count(), T{0});
    for (int64_t plane = 0; plane < to[0] * to[1]; ++plane)
      fold(in + plane * block * positions, out + plane * Shape(std::span(image)).element_count(), window, image);
  });
  call.set_output(0, std::move(output));
}

}  // namespace

std::vector<OperatorDef> col2im_operators() {
  return {
      {"Col2Im", {.data_inputs = 1}, with_half<make_with<WindowAttributes::parse, run_col2im>>, 18},
  };
}

}  // namespace detent
