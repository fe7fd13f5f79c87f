#include <algorithm>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/movement/picked_elements.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

enum class Join : uint8_t { Replace, Add, Mul, Min, Max };

constexpr Named<Join> kJoins[] = {
    {"none", Join::Replace}, {"add", Join::Add}, {"mul", Join::Mul}, {"min", Join::Min}, {"max", Join::Max}};

Join join_of(const Node& node) { return value_named(node, "reduction", "none", kJoins); }

/// Returns the element after an update; integers wrap around through uint64.
template <class T>
T joined_update(Join join, T old, T update) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  const auto a = static_cast<Wide>(old), b = static_cast<Wide>(update);
  switch (join) {
    case Join::Add: return static_cast<T>(a + b);
    case Join::Mul: return static_cast<T>(a * b);
    case Join::Min: return std::min(old, update);
    case Join::Max: return std::max(old, update);
    default: return update;
  }
}

/// Makes output 0 with the elements of input 0, in its memory where nothing else reads that.
Tensor& data_to_update(KernelCall& call) {
  const Tensor& input = call.input(0);
  Tensor& output = call.make_output_like(0, 0);
  if (output.raw() != input.raw())
    std::copy_n(static_cast<const std::byte*>(input.raw()), input.byte_count(),
                static_cast<std::byte*>(output.mutable_raw()));
  return output;
}

/// Joins update i into out[offset], for all of them in order: each(take) calls take(i, offset).
template <class Each>
void write_updates(Tensor& output, const Tensor& updates, Join join, Each&& each) {
  if (updates.type() != output.type())
    throw Error(ErrorCode::InvalidModel, "updates of type " + std::string(name_of(updates.type())) +
                                             " for data of type " + std::string(name_of(output.type())));
  if (join == Join::Replace) {
    visit_size(byte_size(output.type()), [&]<class T>(T) {
      T* out = static_cast<T*>(output.mutable_raw());
      const T* in = static_cast<const T*>(updates.raw());
      each([&](int64_t i, int64_t offset) { out[offset] = in[i]; });
    });
  } else {
    visit_number(output.type(), [&]<class T>(T) {
      T* out = output.mutable_data<T>().data();
      const T* in = updates.data<T>().data();
      each([&](int64_t i, int64_t offset) { out[offset] = joined_update(join, out[offset], in[i]); });
    });
  }
}

/// Sets out[index[i][j][k]][j][k] = updates[i][j][k] for axis 0, and so on.
void scatter_elements(KernelCall& call, int64_t axis_attribute, Join join) {
  const Shape data = call.input(0).shape(), shape = call.input(1).shape();
  const size_t rank = data.rank();
  const size_t axis = axis_from_front(axis_attribute, rank);
  bool fits = shape.rank() == rank && call.input(2).shape() == shape;
  for (size_t i = 0; fits && i < rank; ++i) fits = i == axis || shape[i] <= data[i];
  if (!fits)
    throw Error(ErrorCode::InvalidData, "indices of shape " + shape.to_string() + " and updates of shape " +
                                            call.input(2).shape().to_string() + " do not fit data of shape " +
                                            data.to_string());
  const Tensor indices = call.input(1), updates = call.input(2);
  write_updates(data_to_update(call), updates, join,
                [&](auto&& take) { for_each_picked_element(data, indices, axis, take); });
}

/// Writes slices of the data, which the last axis of the indices names.
void scatter_nd(KernelCall& call, Join join) {
  const Shape data = call.input(0).shape(), shape = call.input(1).shape();
  const auto depth = shape.rank() > 0 ? as_index(shape[shape.rank() - 1]) : 0;
  if (shape.rank() == 0 || depth > data.rank())
    throw Error(ErrorCode::InvalidData,
                "indices of shape " + shape.to_string() + " for data of shape " + data.to_string());
  Shape expected(shape.dims().first(shape.rank() - 1));
  for (size_t i = depth; i < data.rank(); ++i) expected.push_back(data[i]);
  const Tensor updates = call.input(2);
  if (updates.shape() != expected)
    throw Error(ErrorCode::InvalidData,
                "updates of shape " + updates.shape().to_string() + ", expected " + expected.to_string());
  const int64_t slice = data.element_count(depth, data.rank());
  const std::vector<int64_t> indices = integers_of(call.input(1));
  std::vector<int64_t> starts(slice > 0 ? as_index(updates.element_count() / slice) : 0);
  for (size_t p = 0; p < starts.size(); ++p) {
    for (size_t k = 0; k < depth; ++k) starts[p] = starts[p] * data[k] + index_on_axis(indices[p * depth + k], data[k]);
    starts[p] *= slice;
  }
  write_updates(data_to_update(call), updates, join, [&](auto&& take) {
    for (size_t p = 0; p < starts.size(); ++p)
      in_stoppable_blocks(as_index(slice), [&](size_t first, size_t end) {
        for (auto k = as_extent(first); k < as_extent(end); ++k) take(as_extent(p) * slice + k, starts[p] + k);
      });
  });
}

/// Continues a cache of one sequence a batch entry, each at its write index along the axis.
void scatter_sequences(KernelCall& call, int64_t axis_attribute, bool circular) {
  const Shape data = call.input(0).shape();
  const Tensor update = call.input(1);
  const size_t axis = axis_from_front(axis_attribute, data.rank());
  Shape expected = data;
  if (update.shape().rank() == data.rank()) expected[axis] = update.shape()[axis];
  if (axis == 0 || update.shape() != expected || expected[axis] > data[axis])
    throw Error(ErrorCode::InvalidData, "an update of shape " + update.shape().to_string() +
                                            " does not fit a cache of shape " + data.to_string());
  std::vector<int64_t> starts(as_index(data[0]), 0);
  if (call.has_input(2)) starts = integers_of(call.input(2));
  if (starts.size() != as_index(data[0]))
    throw Error(ErrorCode::InvalidData, "one write index a batch entry was expected");
  for (const int64_t start : starts)
    if (start < 0 || (!circular && start > data[axis] - expected[axis]))
      throw Error(ErrorCode::InvalidData, "write index " + std::to_string(start) + " leaves the cache of " +
                                              std::to_string(data[axis]) + " steps");
  const AxisView view = view_around(expected, Layout::Plain, axis);
  const int64_t per_batch = expected.element_count(1, expected.rank());
  write_updates(data_to_update(call), update, Join::Replace, [&](auto&& take) {
    for (int64_t i = 0; i < update.element_count(); ++i) {
      const int64_t start = starts[as_index(i / per_batch)] % data[axis];
      const int64_t step = (start + i / view.inner % view.extent) % data[axis];
      take(i, (i / (view.inner * view.extent) * data[axis] + step) * view.inner + i % view.inner);
    }
  });
}

std::unique_ptr<Kernel> make_scatter_elements(const KernelContext& context) {
  return kernel_of([axis = context.node.int_or("axis", 0), join = join_of(context.node)](KernelCall& call) {
    scatter_elements(call, axis, join);
  });
}

std::unique_ptr<Kernel> make_tensor_scatter(const KernelContext& context) {
  constexpr Named<bool> kCircular[] = {{"linear", false}, {"circular", true}};
  return kernel_of([axis = context.node.int_or("axis", -2),
                    circular = value_named(context.node, "mode", "linear", kCircular)](KernelCall& call) {
    scatter_sequences(call, axis, circular);
  });
}

}  // namespace

std::vector<OperatorDef> scatter_operators() {
  return {
      {"Scatter", {.data_inputs = 1}, with_half<make_scatter_elements>, 9, LayoutNeed::Plain, nullptr, 10},
      {"ScatterElements", {.data_inputs = 1}, with_half<make_scatter_elements>, 11},
      {"ScatterND", {.data_inputs = 1}, with_half<make_with<join_of, scatter_nd>>, 11},
      {"TensorScatter", {.data_inputs = 2}, make_tensor_scatter, 24},
  };
}

}  // namespace detent
