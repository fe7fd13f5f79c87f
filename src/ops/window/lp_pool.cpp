#include <cmath>

#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"
#include "ops/window/window_loop.h"

namespace detent {

namespace {

/// Sums |x|^p over every window; padding adds nothing.
template <class T>
void pool(const Tensor& input, Tensor& output, const Window& window, double p) {
  const Shape& shape = input.shape();
  const std::span<const int64_t> extents = shape.dims().subspan(2);
  const int64_t plane_in = shape.element_count(2, shape.rank());
  const T* in = input.data<T>().data();
  T* out = output.mutable_data<T>().data();
  for (int64_t plane = 0; plane < shape[0] * shape[1]; ++plane, in += plane_in)
    for_each_position(window.output, [&](int64_t, std::span<const int64_t> position) {
      double sum = 0;
      for_each_tap(window, extents, position,
                   [&](int64_t offset) { sum += std::pow(std::abs(static_cast<double>(in[offset])), p); });
      *out++ = static_cast<T>(std::pow(sum, 1 / p));
    });
}

/// A global pool is one window over everything.
enum class Reach : uint8_t { Window, Global };

void run_pool(KernelCall& call, WindowAttributes attributes, double p, Reach reach) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape();
  if (shape.rank() < 3)
    throw Error(ErrorCode::InvalidData, "input of shape " + shape.to_string() + " has no spatial axes");
  const std::vector<int64_t> extents(shape.begin() + 2, shape.end());
  if (reach == Reach::Global) attributes.kernel = extents;
  const Window window = resolve_window(attributes, extents, attributes.kernel);
  Shape to{shape[0], shape[1]};
  for (const int64_t extent : window.output) to.push_back(extent);
  Tensor output(input.type(), to, call.allocator());
  visit_float(input.type(), [&]<class T>(T) { pool<T>(input, output, window, p); });
  call.set_output(0, std::move(output));
}

template <Reach reach>
std::unique_ptr<Kernel> make_lp_pool(const KernelContext& context) {
  const WindowAttributes attributes =
      reach == Reach::Global ? WindowAttributes() : WindowAttributes::parse(context.node);
  if (reach == Reach::Window && attributes.kernel.empty())
    throw Error(ErrorCode::InvalidModel, "kernel_shape is missing");
  const auto p = static_cast<double>(context.node.int_or("p", 2));
  if (p < 1) throw Error(ErrorCode::InvalidModel, "attribute p must be at least 1");
  return kernel_of([attributes, p](KernelCall& call) { run_pool(call, attributes, p, reach); });
}

constexpr OperatorDef kLpPoolDefinitions[] = {
    {.op_type = "LpPool",
     .signature = "X -> Y; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) kernel_shape:ints! p:int pads:ints "
                  "strides:ints | 18: X -> Y; auto_pad:string(NOTSET|SAME_UPPER|SAME_LOWER|VALID) ceil_mode:int "
                  "dilations:ints kernel_shape:ints! p:int pads:ints strides:ints",
     .traits = {.kind = OpKind::OtherReduction},
     .make = with_half<make_lp_pool<Reach::Window>>,
     .first_opset = 2},
    {"GlobalLpPool", "X -> Y; p:int", {.kind = OpKind::OtherReduction}, with_half<make_lp_pool<Reach::Global>>, 2},
};

}  // namespace

std::span<const OperatorDef> lp_pool_operators() { return kLpPoolDefinitions; }

}  // namespace detent
