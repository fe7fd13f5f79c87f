#include <algorithm>

#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"
#include "ops/window/window.h"

namespace detent {

namespace {

/// Shape that MaxPool's input had if its windows came out even.
Shape inferred_shape(const WindowAttributes& attributes, const Shape& pooled) {
  const size_t axes = attributes.kernel.size();

  if (pooled.rank() != axes + 2 || (!attributes.strides.empty() && attributes.strides.size() != axes) ||
      (!attributes.pads.empty() && attributes.pads.size() != 2 * axes))
    throw Error(ErrorCode::InvalidData,
                "a kernel of " + std::to_string(axes) + " axes does not fit an input of shape " + pooled.to_string());
  Shape shape{pooled[0], pooled[1]};
  for (size_t i = 0; i < axes; ++i) {
    const int64_t stride = attributes.strides.empty() ? 1 : attributes.strides[i];
    const int64_t pads = attributes.pads.empty() ? 0 : attributes.pads[i] + attributes.pads[i + axes];
    shape.push_back((pooled[i + 2] - 1) * stride - pads + attributes.kernel[i]);
    if (shape[i + 2] < 0)
      throw Error(ErrorCode::InvalidData, "the pads leave nothing of spatial axis " + std::to_string(i));
  }
  return shape;
}

/// Offset in `to` of the element at flat index `at` of `from`.
int64_t moved(int64_t at, const Shape& from, const Shape& to) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < from.rank(); ++axis)
    offset = offset * to[axis] + at / from.element_count(axis + 1, from.rank()) % from[axis];
  return offset;
}

/// Indices count in the inferred shape even when a larger output_shape is asked for.
void run_unpool(KernelCall& call, const WindowAttributes& attributes) {
  const Tensor& input = call.input(0);
  const Shape inferred = inferred_shape(attributes, input.shape());
  const std::vector<int64_t> wanted = call.has_input(2) ? integers_of(call.input(2)) : std::vector<int64_t>();
  const Shape to = call.has_input(2) ? Shape(std::span(wanted)) : inferred;
  bool fits = to.rank() == inferred.rank() && call.input(1).shape() == input.shape();
  for (size_t i = 0; fits && i < to.rank(); ++i) fits = to[i] >= inferred[i];
  if (!fits)
    throw Error(ErrorCode::InvalidData, "indices of shape " + call.input(1).shape().to_string() + " and output shape " +
                                            to.to_string() + " do not fit an input of shape " +
                                            input.shape().to_string());
  const std::vector<int64_t> indices = integers_of(call.input(1));
  Tensor output(input.type(), to, call.allocator());
  visit_size(byte_size(input.type()), [&]<class T>(T) {
    const T* in = static_cast<const T*>(input.raw());
    T* out = static_cast<T*>(output.mutable_raw());
    std::fill_n(out, to.element_count(), T{0});
    for (const int64_t index : indices) {
      if (index < 0 || index >= inferred.element_count())
        throw Error(ErrorCode::InvalidData,
                    "index " + std::to_string(index) + " is outside a tensor of shape " + inferred.to_string());
      out[moved(index, inferred, to)] = *in++;
    }
  });
  call.set_output(0, std::move(output));
}

std::unique_ptr<Kernel> make_unpool(const KernelContext& context) {
  const WindowAttributes attributes = WindowAttributes::parse(context.node);
  if (attributes.kernel.empty()) throw Error(ErrorCode::InvalidModel, "kernel_shape is missing");
  return kernel_of([attributes](KernelCall& call) { run_unpool(call, attributes); });
}

constexpr OperatorDef kMaxUnpoolDefinitions[] = {
    {.op_type = "MaxUnpool",
     .signature = "X I output_shape? -> output; kernel_shape:ints! pads:ints strides:ints",
     .traits = {.data_inputs = 1},
     .make = make_unpool,
     .first_opset = 9},
};

}  // namespace

std::span<const OperatorDef> max_unpool_operators() { return kMaxUnpoolDefinitions; }

}  // namespace detent
