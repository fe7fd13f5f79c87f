#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/index.h"
#include "ops/elementwise/binary.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/shape_only.h"
#include "ops/simd/reduce.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

/// The last step on a sum, maximum or product.
enum class Finish : uint8_t { None, Divide, SquareRoot, Logarithm, LogSumExp };

struct Reduction {
  std::string_view op_type;
  ReduceFunction function;
  Finish finish = Finish::None;
  OpKind kind = OpKind::OtherReduction;
  int axes_slot_since = 18;  ///< opset from which the axes are an input
};

constexpr Reduction kReductions[] = {
    {"ReduceMean", ReduceFunction::Sum, Finish::Divide, OpKind::ReduceMean},
    {"ReduceSum", ReduceFunction::Sum, Finish::None, OpKind::ReduceSum, 13},
    {"ReduceMax", ReduceFunction::Max},
    {"ReduceMin", ReduceFunction::Min},
    {"ReduceProd", ReduceFunction::Prod},
    {"ReduceL1", ReduceFunction::SumAbs},
    {"ReduceL2", ReduceFunction::SumSquare, Finish::SquareRoot, OpKind::ReduceL2},
    {"ReduceSumSquare", ReduceFunction::SumSquare, Finish::None, OpKind::ReduceSumSquare},
    {"ReduceLogSum", ReduceFunction::Sum, Finish::Logarithm},
    {"ReduceLogSumExp", ReduceFunction::Sum, Finish::LogSumExp},
};

template <class T>
T neutral_of(ReduceFunction function) {
  using Limits = std::numeric_limits<T>;
  switch (function) {
    case ReduceFunction::Max: return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case ReduceFunction::Min: return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case ReduceFunction::Prod: return T{1};
    default: return T{0};
  }
}

/// Returns the total with x in it; integers wrap around through uint64.
template <class T>
T joined(ReduceFunction function, T total, T x) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  const auto a = static_cast<Wide>(total), b = static_cast<Wide>(x);
  switch (function) {
    case ReduceFunction::Sum: return static_cast<T>(a + b);
    case ReduceFunction::Max: return std::max(total, x);
    case ReduceFunction::Min: return std::min(total, x);
    case ReduceFunction::Prod: return static_cast<T>(a * b);
    case ReduceFunction::SumAbs: return static_cast<T>(x < T{0} ? a - b : a + b);
    case ReduceFunction::SumSquare: return static_cast<T>(a + b * b);
  }
  return total;
}

template <class T>
void reduce_group(ReduceFunction function, const T* in, T* out, const AxisView& view) {
  if constexpr (std::is_same_v<T, float>) {
    reduce_run(function, in, out, view.outer, view.extent, view.inner);
  } else {
    std::fill_n(out, view.outer * view.inner, neutral_of<T>(function));
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t r = 0; r < view.extent; ++r)
        for (int64_t i = 0; i < view.inner; ++i) {
          T& total = out[o * view.inner + i];
          total = joined(function, total, in[(o * view.extent + r) * view.inner + i]);
        }
  }
}

/// Returns the function of later passes: absolute values and squares are taken in the first one only.
ReduceFunction in_later_passes(ReduceFunction function) {
  return function == ReduceFunction::SumAbs || function == ReduceFunction::SumSquare ? ReduceFunction::Sum : function;
}

using Axes = std::array<bool, Shape::kMaxRank>;

/// Reduces each run of neighbouring axes in memory order, the innermost first. The result keeps the reduced axes as 1.
Tensor reduce_axes(ReduceFunction function, const Tensor& input, const Axes& axes, Allocator& allocator) {
  const size_t rank = input.shape().rank();
  Axes in_memory{};
  for (size_t axis = 0; axis < rank; ++axis) in_memory[memory_axis(axis, rank, input.layout())] = axes[axis];
  Shape memory = memory_shape(input.shape(), input.layout());
  Shape kept = input.shape();
  for (size_t axis = 0; axis < rank; ++axis)
    if (axes[axis]) kept[axis] = 1;

  Tensor current = input;
  bool first = true;
  const auto step = [&](const AxisView& view) {
    Tensor reduced(input.type(), memory, allocator);
    visit_number(input.type(), [&]<class T>(T) {
      const auto* in = static_cast<const T*>(current.raw());
      reduce_group(first ? function : in_later_passes(function), in, reduced.mutable_data<T>().data(), view);
    });
    current = std::move(reduced);
    first = false;
  };
  for (size_t end = rank; end > 0;) {
    if (!in_memory[end - 1]) {
      --end;
      continue;
    }
    size_t begin = end;
    while (begin > 0 && in_memory[begin - 1]) --begin;
    const AxisView view{memory.element_count(0, begin), memory.element_count(begin, end),
                        memory.element_count(end, rank)};
    for (size_t axis = begin; axis < end; ++axis) memory[axis] = 1;
    step(view);
    end = begin;
  }
  if (first) step({input.element_count(), 1, 1});  // no axis at all: each element alone
  const Layout layout = layout_is_moot(kept) ? Layout::Plain : input.layout();
  return current.reshaped(kept).relabelled(layout);
}

double value_of(UnaryFunction function, double x) {
  switch (function) {
    case UnaryFunction::Exp: return std::exp(x);
    case UnaryFunction::Log: return std::log(x);
    default: return std::sqrt(x);
  }
}

/// Applies exp, log or the square root: to float in vectors, to double and integers in double.
Tensor apply_to_floats(UnaryFunction function, const Tensor& tensor, Allocator& allocator) {
  if (tensor.type() == DataType::Float32) {
    Tensor out(DataType::Float32, tensor.shape(), allocator, tensor.layout());
    const auto in = tensor.data<float>();
    apply_unary({function}, in.data(), out.mutable_data<float>().data(), in.size());
    return out;
  }
  Tensor wide = cast(tensor, DataType::Float64, allocator).clone(allocator);
  for (double& x : wide.mutable_data<double>()) x = value_of(function, x);
  return cast(wide, tensor.type(), allocator);
}

/// Computes log(sum(exp(x))) = m + log(sum(exp(x - m))), m the maximum, or 0 where that is infinite. Integers: as
/// double.
Tensor log_sum_exp(const Tensor& input, const Axes& axes, Allocator& allocator) {
  if (input.type() != DataType::Float32 && input.type() != DataType::Float64)
    return cast(log_sum_exp(cast(input, DataType::Float64, allocator), axes, allocator), input.type(), allocator);
  Tensor largest = reduce_axes(ReduceFunction::Max, input, axes, allocator);
  visit_number(largest.type(), [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>)
      for (T& x : largest.mutable_data<T>())
        if (std::isinf(x)) x = 0;
  });
  const Tensor shifted = combine(BinaryFunction::Sub, input, largest, allocator);
  const Tensor sum =
      reduce_axes(ReduceFunction::Sum, apply_to_floats(UnaryFunction::Exp, shifted, allocator), axes, allocator);
  return combine(BinaryFunction::Add, largest, apply_to_floats(UnaryFunction::Log, sum, allocator), allocator);
}

Tensor reduce(const Reduction& reduction, const Tensor& input, const Axes& axes, Allocator& allocator) {
  if (reduction.finish == Finish::LogSumExp) return log_sum_exp(input, axes, allocator);
  Tensor result = reduce_axes(reduction.function, input, axes, allocator);
  switch (reduction.finish) {
    case Finish::Divide: {
      int64_t count = 1;
      for (size_t axis = 0; axis < input.shape().rank(); ++axis) count *= axes[axis] ? input.shape()[axis] : 1;
      if (count == 0) return result;  // the mean of nothing: 0 elements or 0
      if (result.type() == DataType::Float32) {
        const auto divisor = static_cast<float>(count);
        float* const sums = result.mutable_data<float>().data();
        apply_binary(BinaryFunction::Div, sums, &divisor, sums,
                     {.rows = 1, .length = result.element_count(), .b_step = 0});
        return result;
      }
      return combine(BinaryFunction::Div, result, cast(Tensor::scalar(count), input.type()), allocator);
    }
    case Finish::SquareRoot: return apply_to_floats(UnaryFunction::Sqrt, result, allocator);
    case Finish::Logarithm: return apply_to_floats(UnaryFunction::Log, result, allocator);
    default: return result;
  }
}

/// Returns true when a channels-last tensor is row-major without its reduced axes: these are the channels or all of
/// space.
bool drops_into_order(const Shape& shape, const Axes& axes) {
  bool keeps_space = false;
  for (size_t axis = 2; axis < shape.rank(); ++axis) keeps_space = keeps_space || (!axes[axis] && shape[axis] != 1);
  return axes[1] || shape[1] == 1 || !keeps_space;
}

struct ReductionOptions {
  IntegerOperand axes;
  bool keep = true;
  bool identity_without_axes = false;
  bool shape_suffices = false;
};

/// Returns the shape without the axes, or with extents of 1 there.
Shape reduced(const Shape& shape, const Axes& axes, bool keep) {
  Shape to;
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    if (!axes[axis])
      to.push_back(shape[axis]);
    else if (keep)
      to.push_back(1);
  return to;
}

/// Reduces input 0; booleans (ReduceMax and ReduceMin since opset 20) as bytes.
void run_reduction(KernelCall& call, const Reduction& reduction, const ReductionOptions& options) {
  const bool boolean = call.input(0).type() == DataType::Bool;
  const size_t rank = call.input(0).shape().rank();
  const auto listed = options.axes.values(call);
  Axes axes{};
  if (listed && !listed->empty())
    axes = axes_from_front(*listed, rank);
  else if (!options.identity_without_axes)  // otherwise nothing is summed up, but squares, logarithms ... are taken
    std::fill_n(axes.begin(), rank, true);
  const Shape shape = reduced(call.input(0).shape(), axes, options.keep);
  if (leave_unseen(call, 0, options.shape_suffices, shape, call.input(0).type())) return;
  Tensor input = boolean ? cast(call.input(0), DataType::UInt8, call.allocator()) : call.input(0);
  if (!options.keep && input.layout() != Layout::Plain && !drops_into_order(input.shape(), axes))
    input = to_plain(input, call.allocator());
  Tensor result = reduce(reduction, input, axes, call.allocator());
  if (!options.keep) result = result.relabelled(Layout::Plain).reshaped(shape);
  call.set_output(0, boolean ? cast(result, DataType::Bool, call.allocator()) : std::move(result));
}

std::unique_ptr<Kernel> make_reduction(const KernelContext& context) {
  const auto* found = std::ranges::find(kReductions, std::string_view(context.node.op_type), &Reduction::op_type);
  ReductionOptions options{.axes = IntegerOperand(context, "axes", context.opset >= found->axes_slot_since ? 1 : -1),
                           .keep = context.node.int_or("keepdims", 1) != 0,
                           .identity_without_axes = context.node.int_or("noop_with_empty_axes", 0) != 0,
                           .shape_suffices = context.shape_suffices};
  return kernel_of([reduction = *found, options](KernelCall& call) { run_reduction(call, reduction, options); });
}

bool shape_suffices(const KernelContext& context) { return context.shape_suffices; }

/// Reduces all of space and keeps the axes: N x C x 1 x 1.
template <ReduceFunction function, Finish finish>
void run_global_pool(KernelCall& call, bool shape_suffices) {
  const Shape& shape = call.input(0).shape();
  if (shape.rank() < 3)
    throw Error(ErrorCode::InvalidData, "input of shape " + shape.to_string() + " has no spatial axes");
  Axes axes{};
  std::fill(axes.begin() + 2, axes.begin() + as_extent(shape.rank()), true);
  if (leave_unseen(call, 0, shape_suffices, reduced(shape, axes, true), call.input(0).type())) return;
  const Reduction reduction{.op_type = {}, .function = function, .finish = finish};
  call.set_output(0, reduce(reduction, call.input(0), axes, call.allocator()));
}

enum class Running : uint8_t { Sum, Product };

struct CumulativeOptions {
  bool exclusive, reverse;
};

/// Returns the sum or product; integers wrap around through uint64.
template <Running running, class T>
T accumulated(T total, T x) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  const auto a = static_cast<Wide>(total), b = static_cast<Wide>(x);
  return static_cast<T>(running == Running::Product ? a * b : a + b);
}

template <Running running, class T>
void accumulate_line(const T* in, T* out, const AxisView& view, const CumulativeOptions& options) {
  T total{running == Running::Product ? 1 : 0};
  for (int64_t i = 0; i < view.extent; ++i) {
    const int64_t at = (options.reverse ? view.extent - 1 - i : i) * view.inner;
    const T x = in[at];
    if (options.exclusive) out[at] = total;
    total = accumulated<running>(total, x);
    if (!options.exclusive) out[at] = total;
  }
}

template <Running running>
std::unique_ptr<Kernel> make_cumulative(const KernelContext& context) {
  const CumulativeOptions options{.exclusive = context.node.int_or("exclusive", 0) != 0,
                                  .reverse = context.node.int_or("reverse", 0) != 0};
  return kernel_of([options](KernelCall& call) {
    const std::vector<int64_t> axis = integers_of(call.input(1));
    if (axis.size() != 1) throw Error(ErrorCode::InvalidModel, "the axis must be one number");
    const Shape shape = call.input(0).shape();
    const AxisView view = view_around(shape, Layout::Plain, axis_from_front(axis[0], shape.rank()));
    visit_number(call.input(0).type(), [&]<class T>(T) {
      const T* in = call.input(0).data<T>().data();
      T* out = call.make_output(0, call.input(0).type(), shape).template mutable_data<T>().data();
      for (int64_t o = 0; o < view.outer; ++o)
        for (int64_t i = 0; i < view.inner; ++i) {
          const int64_t at = o * view.extent * view.inner + i;
          accumulate_line<running>(in + at, out + at, view, options);
        }
    });
  });
}

}  // namespace

std::vector<OperatorDef> reduction_operators() {
  std::vector<OperatorDef> all;
  for (const Reduction& one : kReductions)
    all.push_back({one.op_type, {.kind = one.kind, .data_inputs = 1}, with_half<make_reduction>, 1, LayoutNeed::Any});
  constexpr auto average = with_half<make_with<shape_suffices, run_global_pool<ReduceFunction::Sum, Finish::Divide>>>;
  constexpr auto largest = with_half<make_with<shape_suffices, run_global_pool<ReduceFunction::Max, Finish::None>>>;
  all.push_back({"GlobalAveragePool", {.kind = OpKind::GlobalAveragePool}, average, 1, LayoutNeed::Any});
  all.push_back({"GlobalMaxPool", {.kind = OpKind::OtherReduction}, largest, 1, LayoutNeed::Any});
  all.push_back({"CumSum", {.data_inputs = 1}, with_half<make_cumulative<Running::Sum>>, 11});
  all.push_back({"CumProd", {.data_inputs = 1}, with_half<make_cumulative<Running::Product>>, 26});
  return all;
}

}  // namespace detent
