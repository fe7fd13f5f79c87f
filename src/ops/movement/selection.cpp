// Operators that pick, order, count and mask elements.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/float_type.h"
#include "core/index.h"
#include "core/stop.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

struct Groups {
  std::vector<int64_t> first, inverse, counts;  ///< first index and count of every group; group of every index
};

/// Returns -1, 0 or 1; every NaN is the same and behind all numbers, as numpy.unique has it, to which ONNX refers.
template <class T>
int order_of(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x) || std::isnan(y)) return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
  return x < y ? -1 : static_cast<int>(y < x);
}

/// Groups equal slices along the axis, comparing element by element.
template <class T>
Groups find_groups(const T* in, const AxisView& view, bool sorted) {
  const auto compare = [&](int64_t a, int64_t b) {
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i = 0; i < view.inner; ++i) {
        const int64_t line = o * view.extent;
        const int order = order_of(in[(line + a) * view.inner + i], in[(line + b) * view.inner + i]);
        if (order != 0) return order;
      }
    return 0;
  };
  std::vector<int64_t> order = axis_table(view.extent);
  std::iota(order.begin(), order.end(), 0);
  constexpr size_t kAskedAt = 4096;  // comparisons
  size_t compared = 0;
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    if (++compared % kAskedAt == 0) stop_if_interrupted();
    return compare(a, b) < 0;
  });
  Groups groups;
  groups.inverse.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) {
      groups.first.push_back(order[i]);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.inverse[as_index(order[i])] = std::ssize(groups.first) - 1;
  }
  if (sorted) return groups;
  // Groups in the order of their first members, which a walk over all slices meets first.
  Groups ordered;
  std::vector<int64_t> renamed(groups.first.size(), -1);
  for (const int64_t g : groups.inverse) {
    int64_t& name = renamed[as_index(g)];
    if (name < 0) {
      name = std::ssize(ordered.first);
      ordered.first.push_back(groups.first[as_index(g)]);
      ordered.counts.push_back(groups.counts[as_index(g)]);
    }
    ordered.inverse.push_back(name);
  }
  return ordered;
}

Tensor vector_of(const std::vector<int64_t>& numbers) {
  return Tensor::from<int64_t>(Shape{std::ssize(numbers)}, std::span<const int64_t>(numbers));
}

/// Returns what is compared: half types as float, booleans as bytes.
Tensor keys_of(const Tensor& input, Allocator& allocator) {
  if (input.type() == DataType::Bool) return cast(input, DataType::UInt8, allocator);
  const bool half = is_half(input.type());
  return half ? cast(input, DataType::Float32, allocator) : input;
}

void run_unique(KernelCall& call, std::optional<int64_t> axis_attribute, bool sorted) {
  const Tensor input = axis_attribute ? call.input(0) : call.input(0).reshaped(Shape{call.input(0).element_count()});
  const size_t axis = axis_from_front(axis_attribute.value_or(0), input.shape().rank());
  const AxisView view = view_around(input.shape(), Layout::Plain, axis);
  const Tensor keys = keys_of(input, call.allocator());
  const Groups groups = visit_number(
      keys.type(), [&]<class T>(T) { return find_groups(static_cast<const T*>(keys.raw()), view, sorted); });
  call.set_output(0, gathered(input, axis, groups.first, nullptr, call.allocator()));
  call.set_output(1, vector_of(groups.first));
  call.set_output(2, vector_of(groups.inverse));
  call.set_output(3, vector_of(groups.counts));
}

std::unique_ptr<Kernel> make_unique(const KernelContext& context) {
  std::optional<int64_t> axis;
  if (context.node.has("axis")) axis = context.node.int_or("axis", 0);
  return kernel_of(
      [axis, sorted = context.node.int_or("sorted", 1) != 0](KernelCall& call) { run_unique(call, axis, sorted); });
}

/// Keeps the slices along the axis, or the elements where there is none, whose condition holds. A short condition ends
/// early.
void run_compress(KernelCall& call, std::optional<int64_t> axis_attribute) {
  const Tensor input = axis_attribute ? call.input(0) : call.input(0).reshaped(Shape{call.input(0).element_count()});
  const size_t axis = axis_from_front(axis_attribute.value_or(0), input.shape().rank());
  const auto condition = call.input(1).data<bool>();
  if (std::ssize(condition) > input.shape()[axis])
    throw Error(ErrorCode::InvalidData,
                std::to_string(condition.size()) + " conditions for an axis of " + std::to_string(input.shape()[axis]));
  std::vector<int64_t> kept;
  for (size_t i = 0; i < condition.size(); ++i)
    if (condition[i]) kept.push_back(as_extent(i));
  call.set_output(0, gathered(input, axis, kept, nullptr, call.allocator()));
}

std::unique_ptr<Kernel> make_compress(const KernelContext& context) {
  std::optional<int64_t> axis;
  if (context.node.has("axis")) axis = context.node.int_or("axis", 0);
  return kernel_of([axis](KernelCall& call) { run_compress(call, axis); });
}

/// Indices of the elements that are not 0, one column each; a scalar has no axes, so its columns have no rows.
void run_non_zero(KernelCall& call) {
  const Tensor marks = cast(call.input(0), DataType::Bool, call.allocator());
  const Shape& shape = marks.shape();
  const auto marked = marks.data<bool>();
  const int64_t count = std::ranges::count(marked, true);
  Tensor& output = call.make_output(0, DataType::Int64, Shape{as_extent(shape.rank()), count});
  int64_t* out = output.mutable_data<int64_t>().data();
  int64_t column = 0;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    if (!marked[as_index(i)]) continue;
    for (size_t axis = 0; axis < shape.rank(); ++axis)
      out[as_extent(axis) * count + column] = i / shape.element_count(axis + 1, shape.rank()) % shape[axis];
    ++column;
  }
}

/// Returns the position on the new axis of extent `depth` that takes the value "on"; -1 for an index outside
/// [-depth, depth).
int64_t hot_position(int64_t index, int64_t depth) {
  if (index < -depth || index >= depth) return -1;
  return index < 0 ? index + depth : index;
}

std::unique_ptr<Kernel> make_one_hot(const KernelContext& context) {
  return kernel_of([axis_attribute = context.node.int_or("axis", -1)](KernelCall& call) {
    const Tensor indices = cast(call.input(0), DataType::Int64, call.allocator());
    const Tensor depths = cast(call.input(1), DataType::Int64, call.allocator());
    const Tensor& values = call.input(2);
    if (depths.element_count() != 1 || values.element_count() != 2)
      throw Error(ErrorCode::InvalidModel, "one depth and the two values off and on were expected");
    const int64_t depth = std::max<int64_t>(0, depths.data<int64_t>()[0]);
    const size_t axis = axis_from_front(axis_attribute, indices.shape().rank() + 1);
    Shape to;
    for (size_t i = 0; i <= indices.shape().rank(); ++i)
      to.push_back(i == axis ? depth : indices.shape()[i < axis ? i : i - 1]);
    Tensor& output = call.make_output(0, values.type(), to);
    const AxisView view = view_around(to, Layout::Plain, axis);
    const int64_t* index = indices.data<int64_t>().data();
    visit_size(byte_size(values.type()), [&]<class T>(T) {
      const T* off_on = static_cast<const T*>(values.raw());
      T* out = static_cast<T*>(output.mutable_raw());
      std::fill_n(out, output.element_count(), off_on[0]);
      if (depth == 0) return;
      for (int64_t o = 0; o < view.outer; ++o)
        for (int64_t i = 0; i < view.inner; ++i) {
          const int64_t hot = hot_position(index[o * view.inner + i], depth);
          if (hot >= 0) out[(o * depth + hot) * view.inner + i] = off_on[1];
        }
    });
  });
}

/// Makes a kernel that keeps the elements on and above (upper) or on and below diagonal k of every matrix; the rest
/// becomes 0.
std::unique_ptr<Kernel> make_trilu(const KernelContext& context) {
  return kernel_of([upper = context.node.int_or("upper", 1) != 0](KernelCall& call) {
    const std::vector<int64_t> diagonal = call.has_input(1) ? integers_of(call.input(1)) : std::vector<int64_t>{0};
    const Tensor input = call.input(0);
    const Shape& shape = input.shape();
    if (shape.rank() < 2 || diagonal.size() != 1)
      throw Error(ErrorCode::InvalidData,
                  "a matrix and one number k were expected, the input has shape " + shape.to_string());
    const int64_t rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
    const int64_t k = std::clamp(diagonal[0], -rows, columns);  // further out all lies on one side
    Tensor& output = call.make_output(0, input.type(), shape);
    visit_size(byte_size(input.type()), [&]<class T>(T) {
      const T* in = static_cast<const T*>(input.raw());
      T* out = static_cast<T*>(output.mutable_raw());
      for (int64_t line = 0; line < shape.element_count(0, shape.rank() - 1); ++line)
        for (int64_t c = 0; c < columns; ++c, ++in, ++out) {
          const int64_t beyond = c - line % rows - k;
          *out = (upper ? beyond >= 0 : beyond <= 0) ? *in : T{0};
        }
    });
  });
}

/// Reverses the first lengths[b] steps of sequence b; the rest stays.
void run_reverse(KernelCall& call, int64_t batch_attribute, int64_t time_attribute) {
  const Tensor input = call.input(0);
  const Shape& shape = input.shape();
  const size_t batch_axis = axis_from_front(batch_attribute, shape.rank());
  const size_t time_axis = axis_from_front(time_attribute, shape.rank());
  const std::vector<int64_t> lengths = integers_of(call.input(1));
  if (batch_axis == time_axis || lengths.size() != as_index(shape[batch_axis]))
    throw Error(ErrorCode::InvalidData,
                std::to_string(lengths.size()) + " sequence lengths do not fit shape " + shape.to_string());
  for (const int64_t length : lengths)
    if (length < 0 || length > shape[time_axis])
      throw Error(ErrorCode::InvalidData, "a sequence length of " + std::to_string(length) + " for " +
                                              std::to_string(shape[time_axis]) + " steps");
  Tensor& output = call.make_output(0, input.type(), shape);
  const AxisView time = view_around(shape, Layout::Plain, time_axis);
  const AxisView batch = view_around(shape, Layout::Plain, batch_axis);
  visit_size(byte_size(input.type()), [&]<class T>(T) {
    const T* in = static_cast<const T*>(input.raw());
    T* out = static_cast<T*>(output.mutable_raw());
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      const int64_t step = i / time.inner % time.extent;
      const int64_t length = lengths[as_index(i / batch.inner % batch.extent)];
      const int64_t from = step < length ? length - 1 - step : step;
      out[i] = in[i + (from - step) * time.inner];
    }
  });
}

std::unique_ptr<Kernel> make_reverse(const KernelContext& context) {
  return kernel_of([batch = context.node.int_or("batch_axis", 1),
                    time = context.node.int_or("time_axis", 0)](KernelCall& call) { run_reverse(call, batch, time); });
}

}  // namespace

std::vector<OperatorDef> selection_operators() {
  return {
      {"Unique", {.data_inputs = 1}, make_unique, 11},
      {"Compress", {.data_inputs = 1}, make_compress, 9},
      {"NonZero", {.data_inputs = 0}, stateless<run_non_zero>, 9},
      {"OneHot", {.data_inputs = 0}, make_one_hot, 9},
      {"Trilu", {.data_inputs = 1}, make_trilu, 14},
      {"ReverseSequence", {.data_inputs = 1}, make_reverse, 10},
  };
}

}  // namespace detent
