#include <algorithm>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/memory/strided_copy.h"
#include "ops/movement/picked_elements.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/shape_only.h"

namespace detent {

namespace {

/// A slice of one axis, clamped to the tensor.
struct Cut {
  int64_t start = 0, step = 1, count = 0;
};

Cut make_cut(int64_t start, int64_t end, int64_t step, int64_t extent) {
  if (step == 0) throw Error(ErrorCode::InvalidModel, "a slice has step 0");
  if (start < 0) start = std::max(start, -extent) + extent;
  if (end < 0) end = std::max(end, -extent - 1) + extent;  // -1 remains: "before the first element" of a backward slice
  if (step > 0) {
    start = std::clamp(start, int64_t{0}, extent);
    end = std::clamp(end, int64_t{0}, extent);
    const int64_t span = std::max(end - start, int64_t{0});
    return {start, step, span / step + (span % step != 0)};
  }
  if (extent == 0) return {0, step, 0};
  start = std::clamp(start, int64_t{0}, extent - 1);
  end = std::clamp(end, int64_t{-1}, extent - 1);
  const int64_t span = std::max(start - end, int64_t{0});
  const int64_t stride = step == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max() : -step;
  return {start, -stride, span / stride + (span % stride != 0)};
}

void copy_cuts(KernelCall& call, const std::vector<Cut>& cuts, bool shape_suffices) {
  const Tensor& input = call.input(0);
  Shape shape;
  for (const Cut& cut : cuts) shape.push_back(cut.count);
  if (leave_unseen(call, 0, shape_suffices, shape, input.type())) return;
  Tensor& output = call.make_output(0, input.type(), shape, input.layout());
  if (output.element_count() == 0) return;

  const Shape in = memory_shape(input.shape(), input.layout()), out = memory_shape(shape, input.layout());
  const std::vector<Cut> ordered = in_memory_order(cuts, input.layout());
  std::vector<CopyLoop> loops;
  int64_t offset = 0;
  for (size_t i = 0; i < ordered.size(); ++i) {
    const int64_t stride = in.element_count(i + 1, in.rank());
    offset += ordered[i].start * stride;
    loops.push_back(
        {ordered[i].count, ordered[i].count == 1 ? 0 : ordered[i].step * stride, out.element_count(i + 1, out.rank())});
  }
  const size_t bytes = byte_size(input.type());
  copy_strided(static_cast<const std::byte*>(input.raw()) + offset * as_extent(bytes), output.mutable_raw(), bytes,
               std::move(loops));
}

/// Starts, ends, axes and steps: attributes before opset 10, inputs since.
struct SliceOperands {
  IntegerOperand starts, ends, axes, steps;
  bool shape_suffices;

  explicit SliceOperands(const KernelContext& context)
      : starts(context, "starts", 1), ends(context, "ends", 2), axes(context, "axes", 3), steps(context, "steps", 4),
        shape_suffices(context.shape_suffices) {}

  void run(KernelCall& call) const {
    const auto first = starts.values(call), last = ends.values(call);
    if (!first || !last || first->size() != last->size())
      throw Error(ErrorCode::InvalidModel, "starts and ends are missing or differ in length");
    const auto which = axes.values(call).value_or(all_axes(first->size()));
    const auto stride = steps.values(call).value_or(std::vector<int64_t>(first->size(), 1));
    if (which.size() != first->size() || stride.size() != first->size())
      throw Error(ErrorCode::InvalidModel, "starts, ends, axes and steps differ in length");

    const Shape& shape = call.input(0).shape();
    std::vector<Cut> cuts;
    for (const int64_t extent : shape) cuts.push_back({0, 1, extent});
    bool whole = true;
    for (size_t i = 0; i < which.size(); ++i) {
      const size_t axis = axis_from_front(which[i], shape.rank());
      cuts[axis] = make_cut((*first)[i], (*last)[i], stride[i], shape[axis]);
      whole = whole && cuts[axis].start == 0 && cuts[axis].step == 1 && cuts[axis].count == shape[axis];
    }
    if (whole) return call.set_output(0, call.input(0));
    copy_cuts(call, cuts, shape_suffices);
  }
};

std::unique_ptr<Kernel> make_slice(const KernelContext& context) {
  return kernel_of([operands = SliceOperands(context)](KernelCall& call) { operands.run(call); });
}

std::unique_ptr<Kernel> make_gather(const KernelContext& context) {
  return kernel_of([axis_attribute = context.node.int_or("axis", 0),
                    shape_suffices = context.shape_suffices](KernelCall& call) {
    const Tensor& input = call.input(0);
    const Shape& shape = input.shape();
    const size_t axis = axis_from_front(axis_attribute, shape.rank());
    std::vector<int64_t> indices = integers_of(call.input(1));
    for (int64_t& index : indices) {
      if (index < -shape[axis] || index >= shape[axis])
        throw Error(
            ErrorCode::InvalidData,
            "index " + std::to_string(index) + " is outside axis " + std::to_string(axis) + " of " + shape.to_string(),
            "where the indices are token ids, they are of another vocabulary than the model's");
      if (index < 0) index += shape[axis];
    }
    Shape gathered(shape.dims().first(axis));
    for (const int64_t extent : call.input(1).shape()) gathered.push_back(extent);
    for (size_t i = axis + 1; i < shape.rank(); ++i) gathered.push_back(shape[i]);
    if (leave_unseen(call, 0, shape_suffices, gathered, input.type())) return;
    Tensor& output = call.make_output(0, input.type(), gathered);
    const AxisView view{shape.element_count(0, axis), shape[axis], shape.element_count(axis + 1, shape.rank())};
    gather_axis(input.raw(), output.mutable_raw(), byte_size(input.type()), view, indices, nullptr);
  });
}

/// Makes a kernel: out[i][j][k] = in[index[i][j][k]][j][k] for axis 0, and so on.
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

/// Makes a kernel that gathers slices, which the last axis of the indices names after `batch_dims` shared axes.
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

}  // namespace

std::vector<OperatorDef> slice_gather_operators() {
  return {
      {"Slice", {.kind = OpKind::Slice, .commutes = true, .data_inputs = 1}, make_slice, 1, LayoutNeed::Any},
      {"Gather", {.kind = OpKind::Gather, .commutes = true, .data_inputs = 1}, make_gather},
      {"GatherElements", {.kind = OpKind::Gather, .commutes = true, .data_inputs = 1}, make_gather_elements, 11},
      {"GatherND", {.kind = OpKind::GatherND, .commutes = true, .data_inputs = 1}, make_gather_nd, 11},
  };
}

}  // namespace detent
