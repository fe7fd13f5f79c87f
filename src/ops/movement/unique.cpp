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

/// -1, 0 or 1; every NaN is the same and behind all numbers, as numpy.unique has it, to which ONNX refers.
template <class T>
int order_of(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x) || std::isnan(y)) return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
  return x < y ? -1 : static_cast<int>(y < x);
}

/// Slices along the axis compare element by element.
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
  // Groups in the order of their first members, which are the first of theirs that a walk over all meets.
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

/// Types without an order of their own compare as float or bytes.
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
  Shape to = input.shape();
  to[axis] = std::ssize(groups.first);
  Tensor output(input.type(), to, call.allocator());
  if (output.element_count() > 0)
    gather_axis(input.raw(), output.mutable_raw(), byte_size(input.type()), view, groups.first, nullptr);
  call.set_output(0, std::move(output));
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

constexpr OperatorDef kUniqueDefinitions[] = {
    {"Unique", "X -> Y indices? inverse_indices? counts?; axis:int sorted:int", {.data_inputs = 1}, make_unique, 11},
};

}  // namespace

std::span<const OperatorDef> unique_operators() { return kUniqueDefinitions; }

}  // namespace detent
