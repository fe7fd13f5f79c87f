#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// The slices along the axis, or the elements where there is none, whose condition holds. A short condition ends early.
void run_compress(KernelCall& call, std::optional<int64_t> axis_attribute) {
  const Tensor input = axis_attribute ? call.input(0) : call.input(0).reshaped(Shape{call.input(0).element_count()});
  const size_t axis = axis_from_front(axis_attribute.value_or(0), input.shape().rank());
  const AxisView view = view_around(input.shape(), Layout::Plain, axis);
  const auto condition = call.input(1).data<bool>();
  if (std::ssize(condition) > view.extent)
    throw Error(ErrorCode::InvalidData,
                std::to_string(condition.size()) + " conditions for an axis of " + std::to_string(view.extent));
  std::vector<int64_t> kept;
  for (size_t i = 0; i < condition.size(); ++i)
    if (condition[i]) kept.push_back(as_extent(i));
  Shape to = input.shape();
  to[axis] = std::ssize(kept);
  Tensor& output = call.make_output(0, input.type(), to);
  if (output.element_count() == 0) return;
  gather_axis(input.raw(), output.mutable_raw(), byte_size(input.type()), view, kept, nullptr);
}

std::unique_ptr<Kernel> make_compress(const KernelContext& context) {
  std::optional<int64_t> axis;
  if (context.node.has("axis")) axis = context.node.int_or("axis", 0);
  return kernel_of([axis](KernelCall& call) { run_compress(call, axis); });
}

constexpr OperatorDef kCompressDefinitions[] = {
    {"Compress", "input condition -> output; axis:int", {.data_inputs = 1}, make_compress, 9},
};

}  // namespace

std::span<const OperatorDef> compress_operators() { return kCompressDefinitions; }

}  // namespace detent
