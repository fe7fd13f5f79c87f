// GridSample and AffineGrid: sampling at places given by a tensor, for one, two or three spatial axes.

#include <algorithm>
#include <array>
#include <cmath>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

enum class Sampling : uint8_t { Nearest, Linear, Cubic };
enum class Outside : uint8_t { Zeros, Border, Reflection };

struct GridSettings {
  Sampling sampling = Sampling::Linear;
  Outside outside = Outside::Zeros;
  bool align_corners = false;
};

constexpr Named<Sampling> kSamplings[] = {{"nearest", Sampling::Nearest},
                                          {"linear", Sampling::Linear},
                                          {"bilinear", Sampling::Linear},
                                          {"cubic", Sampling::Cubic},
                                          {"bicubic", Sampling::Cubic}};
constexpr Named<Outside> kOutside[] = {
    {"zeros", Outside::Zeros}, {"border", Outside::Border}, {"reflection", Outside::Reflection}};

GridSettings grid_sample_settings(const Node& node) {
  return {.sampling = value_named(node, "mode", "linear", kSamplings),
          .outside = value_named(node, "padding_mode", "zeros", kOutside),
          .align_corners = node.int_or("align_corners", 0) != 0};
}

/// The elements of one axis that a sample is made of, with their weights; index -1 is a zero outside.
template <class T>
struct AxisTaps {
  std::array<int64_t, 4> index{};
  std::array<T, 4> weight{};
  size_t count = 0;
};

/// An axis of the input, which makes taps of a coordinate in [-1, 1].
template <class T>
class AxisSampler {
 public:
  AxisSampler(const GridSettings& settings, int64_t extent)
      : settings_(settings), extent_(extent), low_(settings.align_corners ? T(0) : T(-0.5)),
        high_(static_cast<T>(extent) - (settings.align_corners ? T(1) : T(0.5))) {}

  [[nodiscard]] AxisTaps<T> taps(T coordinate) const {
    const T length = static_cast<T>(extent_);
    T x = settings_.align_corners ? (coordinate + 1) / 2 * (length - 1) : ((coordinate + 1) * length - 1) / 2;
    if (settings_.sampling == Sampling::Nearest) x = std::nearbyint(x);
    if (!(x >= low_ && x <= high_)) x = brought_inside(x);
    const T base = std::floor(x);
    const auto first = static_cast<int64_t>(base);
    switch (settings_.sampling) {
      case Sampling::Nearest: return {{place(static_cast<int64_t>(std::nearbyint(x)))}, {1}, 1};
      case Sampling::Linear: return {{place(first), place(first + 1)}, {1 - (x - base), x - base}, 2};
      default: break;
    }
    AxisTaps<T> taps{.weight = cubic(x - base), .count = 4};
    for (int64_t i = 0; i < 4; ++i) taps.index[as_index(i)] = place(first - 1 + i);
    return taps;
  }

 private:
  [[nodiscard]] T brought_inside(T x) const {
    if (std::isnan(x)) x = -1;  // as PyTorch does
    if (settings_.outside == Outside::Reflection) return reflected(x);
    // A cubic blends what its taps find, with the weights of the place outside; every tap is outside from 4 on.
    const bool exact = settings_.outside == Outside::Border && settings_.sampling != Sampling::Cubic;
    return exact ? std::clamp<T>(x, 0, static_cast<T>(extent_ - 1)) : std::clamp<T>(x, -4, static_cast<T>(extent_) + 4);
  }

  /// Mirrors x at both ends as often as it takes.
  [[nodiscard]] T reflected(T x) const {
    const T range = high_ - low_;
    if (range <= 0 || !std::isfinite(x)) return 0;
    T beyond = std::fmod(std::abs(x - low_), 2 * range);
    return beyond <= range ? low_ + beyond : high_ - (beyond - range);
  }

  [[nodiscard]] int64_t place(int64_t index) const {
    if (index >= 0 && index < extent_) return index;
    switch (settings_.outside) {
      case Outside::Border: return std::clamp<int64_t>(index, 0, extent_ - 1);
      case Outside::Reflection:
        return std::clamp<int64_t>(static_cast<int64_t>(reflected(static_cast<T>(index))), 0, extent_ - 1);
      default: return -1;
    }
  }

  /// Returns the weights of Keys' kernel with a = -0.75. Source: R. Keys, "Cubic convolution interpolation", 1981;
  /// value as in ONNX.
  static std::array<T, 4> cubic(T t) {
    constexpr T a = T(-0.75);
    const auto near = [](T d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [](T d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    return {far(t + 1), near(t), near(1 - t), far(2 - t)};
  }

  GridSettings settings_;
  int64_t extent_;
  T low_, high_;
};

/// An element of the plane and its weight in one sample.
template <class T>
struct Tap {
  int64_t offset;
  T weight;
};

/// Returns all products of the axes' taps, zeros outside left out.
template <class T>
void combine_taps(const std::vector<AxisTaps<T>>& axes, const Shape& input, std::vector<Tap<T>>& taps) {
  taps.assign(1, {0, T(1)});
  std::vector<Tap<T>> next;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    next.clear();
    for (const Tap<T>& tap : taps)
      for (size_t i = 0; i < axes[axis].count; ++i)
        if (axes[axis].index[i] >= 0)
          next.push_back({tap.offset * input[2 + axis] + axes[axis].index[i], tap.weight * axes[axis].weight[i]});
    taps.swap(next);
  }
}

template <class T>
void sample(const Tensor& input, const Tensor& grid, const GridSettings& settings, Tensor& output) {
  const Shape& shape = input.shape();
  const size_t axes = shape.rank() - 2;
  std::vector<AxisSampler<T>> samplers;
  for (size_t axis = 0; axis < axes; ++axis) samplers.emplace_back(settings, shape[2 + axis]);
  const int64_t plane = shape.element_count(2, shape.rank());
  const int64_t points = output.shape().element_count(2, shape.rank());
  const T* in = input.data<T>().data();
  const T* place = grid.data<T>().data();
  T* out = output.mutable_data<T>().data();
  std::vector<AxisTaps<T>> axis_taps(axes);
  std::vector<Tap<T>> taps;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t point = 0; point < points; ++point, place += axes) {
      for (size_t axis = 0; axis < axes; ++axis)
        axis_taps[axis] = samplers[axis].taps(place[axes - 1 - axis]);  // x first
      combine_taps(axis_taps, shape, taps);
      for (int64_t c = 0; c < shape[1]; ++c) {
        const T* channel = in + (n * shape[1] + c) * plane;
        T total = 0;
        for (const Tap<T>& tap : taps) total += tap.weight * channel[tap.offset];
        out[(n * shape[1] + c) * points + point] = total;
      }
    }
}

void run_grid_sample(KernelCall& call, const GridSettings& settings) {
  const DataType given = call.input(0).type();
  const DataType type = given == DataType::Float64 ? given : DataType::Float32;
  const Tensor input = cast(call.input(0), type, call.allocator());
  const Tensor grid = cast(call.input(1), type, call.allocator());
  const Shape& shape = input.shape();
  const size_t rank = shape.rank();
  if (rank < 3 || grid.shape().rank() != rank || grid.shape()[0] != shape[0] ||
      grid.shape()[rank - 1] != as_extent(rank) - 2)
    throw Error(ErrorCode::InvalidData,
                "a grid of shape " + grid.shape().to_string() + " for an input of shape " + shape.to_string());
  Shape to{shape[0], shape[1]};
  for (size_t axis = 1; axis + 1 < rank; ++axis) to.push_back(grid.shape()[axis]);
  Tensor output(type, to, call.allocator());
  if (shape.element_count(2, rank) == 0 && output.element_count() > 0)
    throw Error(ErrorCode::InvalidData, "an input of shape " + shape.to_string() + " has nothing to sample");
  if (output.element_count() == 0) return call.set_output(0, cast(output, given, call.allocator()));
  if (type == DataType::Float64)
    sample<double>(input, grid, settings, output);
  else
    sample<float>(input, grid, settings, output);
  call.set_output(0, cast(output, given, call.allocator()));
}

/// Returns the coordinate of sample i of n in [-1, 1]: the ends are the centres of the outer pixels, or their outer
/// edges.
double coordinate(int64_t i, int64_t n, bool align_corners) {
  const auto at = static_cast<double>(i), count = static_cast<double>(n);
  if (!align_corners) return (2 * at + 1) / count - 1;
  return n > 1 ? 2 * at / (count - 1) - 1 : 0;
}

/// Computes grid[n][d][h][w] = theta[n] * (x, y, z, 1); with two axes without d and z.
void run_grid(KernelCall& call, bool align_corners) {
  const Tensor& theta = call.input(0);
  const Shape& shape = theta.shape();
  const std::vector<int64_t> size = integers_of(call.input(1));
  const auto axes = std::ssize(size) - 2;
  if ((axes != 2 && axes != 3) || shape != Shape{size[0], axes, axes + 1})
    throw Error(ErrorCode::InvalidData, "theta of shape " + shape.to_string() + " does not fit a size of " +
                                            std::to_string(size.size()) + " numbers");
  Shape to{size[0]};
  for (size_t i = 2; i < size.size(); ++i) to.push_back(size[i]);
  to.push_back(axes);
  Tensor output(theta.type(), to, call.allocator());
  const int64_t points = to.element_count(1, to.rank() - 1);
  visit_float(theta.type(), [&]<class T>(T) {
    T* out = output.mutable_data<T>().data();
    for (int64_t i = 0; i < to[0] * points; ++i) {
      const T* matrix = theta.data<T>().data() + i / points * axes * (axes + 1);
      for (int64_t row = 0; row < axes; ++row, matrix += axes + 1) {
        auto value = static_cast<double>(matrix[axes]);
        for (int64_t k = 0; k < axes; ++k) {  // x runs along the last spatial axis
          const auto axis = as_index(axes - k);
          const int64_t at = i / to.element_count(axis + 1, to.rank() - 1) % to[axis];
          value += static_cast<double>(matrix[k]) * coordinate(at, to[axis], align_corners);
        }
        *out++ = static_cast<T>(value);
      }
    }
  });
  call.set_output(0, std::move(output));
}

bool aligns_corners(const Node& node) { return node.int_or("align_corners", 0) != 0; }

}  // namespace

std::vector<OperatorDef> grid_sample_operators() {
  constexpr auto sample = with_half<make_with<grid_sample_settings, run_grid_sample>>;
  constexpr auto check = refuse_unreadable<grid_sample_settings>;
  return {
      {"GridSample", {.data_inputs = 1}, sample, 16, LayoutNeed::Plain, check},
      {"AffineGrid", {.data_inputs = 1}, with_half<make_with<aligns_corners, run_grid>>, 20},
  };
}

}  // namespace detent
