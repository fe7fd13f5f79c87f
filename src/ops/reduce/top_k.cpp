#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// Not-a-number counts as the largest, so that the order is total.
template <class T>
bool above(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  return a > b;
}

struct TopKOptions {
  int64_t axis;
  bool largest;
  int64_t k;  ///< -1: input 1
};

/// One line along the axis and its results, `stride` elements apart.
template <class T>
struct Line {
  const T* in;
  T* out;
  int64_t* picked;
  int64_t stride;
};

/// Of equal values the one with the lower index comes first. The result is in order even where that is not asked for.
template <class T>
void pick_line(const Line<T>& line, std::vector<int64_t>& order, int64_t k, bool largest) {
  const auto [in, out, picked, stride] = line;
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
    const T x = in[a * stride], y = in[b * stride];
    if (above(x, y)) return largest;
    if (above(y, x)) return !largest;
    return a < b;
  });
  for (int64_t i = 0; i < k; ++i) {
    picked[i * stride] = order[static_cast<size_t>(i)];
    out[i * stride] = in[order[static_cast<size_t>(i)] * stride];
  }
}

int64_t wanted_count(const KernelCall& call, const TopKOptions& options) {
  if (options.k >= 0) return options.k;
  const std::vector<int64_t> k = call.has_input(1) ? integers_of(call.input(1)) : std::vector<int64_t>();
  if (k.size() != 1) throw Error(ErrorCode::InvalidModel, "K must be one number");
  return k[0];
}

void run_top_k(KernelCall& call, const TopKOptions& options) {
  const Tensor& input = call.input(0);
  const size_t axis = axis_from_front(options.axis, input.shape().rank());
  const AxisView view = view_around(input.shape(), Layout::Plain, axis);
  const int64_t k = wanted_count(call, options);
  if (k < 0 || k > view.extent)
    throw Error(ErrorCode::InvalidData,
                "the " + std::to_string(k) + " top elements of an axis of " + std::to_string(view.extent));
  Shape to = input.shape();
  to[axis] = k;
  Tensor values(input.type(), to, call.allocator()), indices(DataType::Int64, to, call.allocator());
  std::vector<int64_t> order = axis_table(view.extent);
  visit_number(input.type(), [&]<class T>(T) {
    const T* in = input.data<T>().data();
    T* out = values.mutable_data<T>().data();
    int64_t* picked = indices.mutable_data<int64_t>().data();
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i = 0; i < view.inner; ++i) {
        const int64_t at = o * k * view.inner + i;
        pick_line<T>({in + o * view.extent * view.inner + i, out + at, picked + at, view.inner}, order, k,
                     options.largest);
      }
  });
  call.set_output(0, std::move(values));
  call.set_output(1, std::move(indices));
}

std::unique_ptr<Kernel> make_top_k(const KernelContext& context) {
  const TopKOptions options{.axis = context.node.int_or("axis", -1),
                            .largest = context.node.int_or("largest", 1) != 0,
                            .k = context.opset < 10 ? context.node.int_or("k", 0) : -1};
  return kernel_of([options](KernelCall& call) { run_top_k(call, options); });
}

constexpr OperatorDef kTopKDefinitions[] = {
    {.op_type = "TopK",
     .signature = "X -> Values Indices; axis:int k:int! | 10: X K -> Values Indices; axis:int | 11: X K -> Values "
                  "Indices; axis:int largest:int sorted:int",
     .traits = {.data_inputs = 1},
     .make = with_half<make_top_k>},
};

}  // namespace

std::span<const OperatorDef> top_k_operators() { return kTopKDefinitions; }

}  // namespace detent
