#include <algorithm>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/movement/picked_elements.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// out[i][j][k] = in[index[i][j][k]][j][k] for axis 0, and so on.
std::unique_ptr<Kernel> make_gather_elements(const KernelContext& context) {
  return kernel_of([axis_attribute = context.node.int_or("axis", 0)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const Shape& from = input.shape();
    const Shape to = call.input(1).shape();
    if (from.rank() != to.rank() || from.rank() == 0)
      throw Error(ErrorCode::InvalidData,
                  "indices of shape " + to.to_string() + " for a tensor of shape " + from.to_string());
    const size_t axis = axis_from_front(axis_attribute, from.rank());
    for (size_t i = 0; i < to.rank(); ++i)
      if (i != axis && to[i] > from[i])
        throw Error(ErrorCode::InvalidData,
                    "indices of shape " + to.to_string() + " reach beyond a tensor of shape " + from.to_string());
    Tensor& output = call.make_output(0, input.type(), to);
    visit_size(byte_size(input.type()), [&]<class T>(T) {
      const T* in = static_cast<const T*>(input.raw());
      T* out = static_cast<T*>(output.mutable_raw());
      for_each_picked_element(from, call.input(1), axis, [&](int64_t i, int64_t offset) { out[i] = in[offset]; });
    });
  });
}

/// The last axis of the indices names a slice of the input, after `batch_dims` shared axes.
std::unique_ptr<Kernel> make_gather_nd(const KernelContext& context) {
  return kernel_of([batch_dims = context.node.int_or("batch_dims", 0)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const Shape& from = input.shape();
    const Shape& index_shape = call.input(1).shape();
    const auto batch_axes = as_index(batch_dims);
    if (batch_dims < 0 || index_shape.rank() <= batch_axes)
      throw Error(ErrorCode::InvalidModel, "batch_dims does not fit the indices");
    const auto depth = as_index(index_shape[index_shape.rank() - 1]);
    if (batch_axes + depth > from.rank())
      throw Error(ErrorCode::InvalidData,
                  "indices of " + std::to_string(depth) + " numbers for a tensor of shape " + from.to_string());
    if (!std::ranges::equal(index_shape.dims().first(batch_axes), from.dims().first(batch_axes)))
      throw Error(ErrorCode::InvalidData, "indices of shape " + index_shape.to_string() + " and a tensor of shape " +
                                              from.to_string() + " differ in the batch");
    Shape to(index_shape.dims().first(index_shape.rank() - 1));
    for (size_t i = batch_axes + depth; i < from.rank(); ++i) to.push_back(from[i]);
    const int64_t slice = from.element_count(batch_axes + depth, from.rank());
    const int64_t picks = index_shape.element_count(0, index_shape.rank() - 1);
    const int64_t per_batch = index_shape.element_count(batch_axes, index_shape.rank() - 1);
    const std::vector<int64_t> indices = integers_of(call.input(1));
    Tensor& output = call.make_output(0, input.type(), to);
    const size_t bytes = as_index(slice) * byte_size(input.type());
    for (int64_t p = 0; p < picks; ++p) {
      int64_t offset = p / per_batch;
      for (size_t k = 0; k < depth; ++k)
        offset = offset * from[batch_axes + k] + index_on_axis(indices[as_index(p) * depth + k], from[batch_axes + k]);
      if (bytes > 0)
        std::copy_n(static_cast<const std::byte*>(input.raw()) + as_index(offset) * bytes, bytes,
                    static_cast<std::byte*>(output.mutable_raw()) + as_index(p) * bytes);
    }
  });
}

constexpr OperatorDef kGatherElementsDefinitions[] = {
    {.op_type = "GatherElements",
     .signature = "data indices -> output; axis:int",
     .traits = {.kind = OpKind::Gather, .commutes = true, .data_inputs = 1},
     .make = make_gather_elements,
     .first_opset = 11},
    {.op_type = "GatherND",
     .signature = "data indices -> output | 12: data indices -> output; batch_dims:int",
     .traits = {.kind = OpKind::GatherND, .commutes = true, .data_inputs = 1},
     .make = make_gather_nd,
     .first_opset = 11},
};

}  // namespace

std::span<const OperatorDef> gather_elements_operators() { return kGatherElementsDefinitions; }

}  // namespace detent
