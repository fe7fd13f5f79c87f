#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "core/memory_limit.h"
#include "core/stop.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

/// Compares in a total order: not-a-number counts as the largest.
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

template <class T>
struct Candidate {
  T value;
  int64_t index;
};

/// Returns whether `a` comes in front of `b`: of equal values the one with the lower index does.
template <class T>
bool comes_first(const Candidate<T>& a, const Candidate<T>& b, bool largest) {
  if (above(a.value, b.value)) return largest;
  if (above(b.value, a.value)) return !largest;
  return a.index < b.index;
}

/// One line along the axis and its results, `stride` elements apart.
template <class T>
struct Line {
  const T* in;
  T* out;
  int64_t* picked;
  int64_t extent, stride;
};

/// Finds the `k` first of the line in order, also where order is not asked for; k >= 1. `kept` is memory: it holds the
/// k first of the elements seen so far, and more until it is cut to k again. An element behind the last of those k
/// never enters.
template <class T>
void pick_line(const Line<T>& line, std::vector<Candidate<T>>& kept, int64_t k, bool largest) {
  constexpr size_t kAskedAt = 4096;  // comparisons
  size_t compared = 0;
  const auto first = [&](const Candidate<T>& a, const Candidate<T>& b) {
    if (++compared % kAskedAt == 0) stop_if_interrupted();
    return comes_first(a, b, largest);
  };
  const auto cut = [&] {
    std::nth_element(kept.begin(), kept.begin() + (k - 1), kept.end(), first);
    kept.resize(as_index(k));
  };
  kept.clear();
  T last{};  // of the k first; known once `kept` was cut
  bool known = false;
  in_stoppable_blocks(as_index(line.extent), [&](size_t begin, size_t end) {
    for (auto i = as_extent(begin); i < as_extent(end); ++i) {
      const T value = line.in[i * line.stride];
      if (known && !(largest ? above(value, last) : above(last, value))) continue;
      if (kept.size() == kept.capacity()) {
        cut();
        last = kept.back().value;
        known = true;
        if (!(largest ? above(value, last) : above(last, value))) continue;
      }
      kept.push_back({value, i});
    }
  });
  cut();
  std::sort(kept.begin(), kept.end(), first);
  for (int64_t i = 0; i < k; ++i) {
    line.picked[i * line.stride] = kept[as_index(i)].index;
    line.out[i * line.stride] = kept[as_index(i)].value;
  }
}

/// Returns memory for as many candidates as a line has, or for so many more than `k` that a cut costs little an
/// element.
template <class T>
std::vector<Candidate<T>> candidates_for(int64_t k, int64_t extent) {
  constexpr int64_t kFew = 64;
  const auto count = static_cast<uint64_t>(std::min(extent, 2 * k + kFew));
  check_memory(count * sizeof(Candidate<T>), [&] { return "the order of an axis of " + std::to_string(extent); });
  std::vector<Candidate<T>> kept;
  kept.reserve(count);
  return kept;
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
  if (values.element_count() > 0)
    visit_number(input.type(), [&]<class T>(T) {
      const T* in = input.data<T>().data();
      T* out = values.mutable_data<T>().data();
      int64_t* picked = indices.mutable_data<int64_t>().data();
      auto kept = candidates_for<T>(k, view.extent);
      for (int64_t o = 0; o < view.outer; ++o)
        for (int64_t i = 0; i < view.inner; ++i) {
          const int64_t at = o * k * view.inner + i;
          pick_line<T>({in + o * view.extent * view.inner + i, out + at, picked + at, view.extent, view.inner}, kept, k,
                       options.largest);
        }
    });
  call.set_output(0, std::move(values));
  call.set_output(1, std::move(indices));
}

TopKOptions top_k_options(const KernelContext& context) {
  return {.axis = context.node.int_or("axis", -1),
          .largest = context.node.int_or("largest", 1) != 0,
          .k = context.opset < 10 ? context.node.int_or("k", 0) : -1};
}

enum class Extreme : uint8_t { Largest, Smallest };

struct ArgExtremeOptions {
  int64_t axis;
  Extreme extreme;
  bool keep, last;
};

/// True when `x` is more extreme than `y`: NaN is more extreme than any number, as in numpy.argmax and ONNX Runtime.
template <class T>
bool beats(T x, T y, Extreme extreme) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && !std::isnan(y);
  return extreme == Extreme::Largest ? x > y : x < y;
}

/// Returns the position of the extreme along one line; of equal ones the first, or the last.
template <class T>
int64_t index_of_extreme(const T* line, int64_t extent, int64_t stride, const ArgExtremeOptions& options) {
  int64_t best = 0;
  for (int64_t i = 1; i < extent; ++i) {
    const T x = line[i * stride], y = line[best * stride];
    if (beats(x, y, options.extreme) || (options.last && !beats(y, x, options.extreme))) best = i;
  }
  return best;
}

void run_arg(KernelCall& call, const ArgExtremeOptions& options) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape();
  const size_t axis = axis_from_front(options.axis, shape.rank());
  Shape to;
  for (size_t i = 0; i < shape.rank(); ++i)
    if (i != axis || options.keep) to.push_back(i == axis ? 1 : shape[i]);
  const AxisView view = view_around(shape, Layout::Plain, axis);
  if (view.extent == 0 && to.element_count() > 0)
    throw Error(ErrorCode::InvalidData, "an axis of 0 elements has no largest or smallest one");
  int64_t* out = call.make_output(0, DataType::Int64, to).mutable_data<int64_t>().data();
  visit_number(input.type(), [&]<class T>(T) {
    const T* in = input.data<T>().data();
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i = 0; i < view.inner; ++i)
        *out++ = index_of_extreme(in + o * view.extent * view.inner + i, view.extent, view.inner, options);
  });
}

template <Extreme extreme>
ArgExtremeOptions arg_options(const Node& node) {
  return {.axis = node.int_or("axis", 0),
          .extreme = extreme,
          .keep = node.int_or("keepdims", 1) != 0,
          .last = node.int_or("select_last_index", 0) != 0};
}

}  // namespace

std::vector<OperatorDef> top_k_operators() {
  constexpr auto arg_max = with_half<make_with<arg_options<Extreme::Largest>, run_arg>>;
  constexpr auto arg_min = with_half<make_with<arg_options<Extreme::Smallest>, run_arg>>;
  return {
      {"TopK", {.data_inputs = 1}, with_half<make_with<top_k_options, run_top_k>>},
      {"ArgMax", {.data_inputs = 1}, arg_max},
      {"ArgMin", {.data_inputs = 1}, arg_min},
  };
}

}  // namespace detent
