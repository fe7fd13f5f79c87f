#include <algorithm>
#include <cmath>
#include <vector>

#include "core/float_type.h"
#include "core/index.h"
#include "core/stop.h"
#include "ops/elementwise/binary.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

/// Divides every line by its 1- or 2-norm; a line of zeros stays.
template <class T>
void normalize_lp(const T* in, T* out, const AxisView& view, bool squares) {
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      const int64_t line = o * view.extent * view.inner + i;
      double norm = 0;
      for (int64_t k = 0; k < view.extent; ++k) {
        const auto x = static_cast<double>(in[line + k * view.inner]);
        norm += squares ? x * x : std::abs(x);
      }
      if (squares) norm = std::sqrt(norm);
      for (int64_t k = line; k < line + view.extent * view.inner; k += view.inner)
        out[k] = norm == 0 ? T{0} : static_cast<T>(static_cast<double>(in[k]) / norm);
    }
}

std::unique_ptr<Kernel> make_lp_norm(const KernelContext& context) {
  const int64_t p = context.node.int_or("p", 2);
  if (p != 1 && p != 2)
    throw Error(ErrorCode::InvalidModel, "attribute p is " + std::to_string(p) + ", expected 1 or 2");
  return kernel_of([p, axis_attribute = context.node.int_or("axis", -1)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const size_t axis = axis_from_front(axis_attribute, input.shape().rank());
    const AxisView view = view_around(input.shape(), Layout::Plain, axis);
    Tensor output(input.type(), input.shape(), call.allocator());
    visit_float(input.type(), [&]<class T>(T) {
      normalize_lp(input.data<T>().data(), output.mutable_data<T>().data(), view, p == 2);
    });
    call.set_output(0, std::move(output));
  });
}

/// Returns the output position, with the listed axes left out, of element i.
int64_t group_of(int64_t i, const Shape& shape, const std::array<bool, Shape::kMaxRank>& axes) {
  int64_t group = 0;
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    if (!axes[axis]) group = group * shape[axis] + i / shape.element_count(axis + 1, shape.rank()) % shape[axis];
  return group;
}

/// Computes (x - mean) / (standard deviation + 1e-9) over the axes; the 1e-9 is that of ONNX's function body.
template <class T>
void normalize_mean(const Tensor& input, Tensor& output, const std::array<bool, Shape::kMaxRank>& axes) {
  const Shape& shape = input.shape();
  const auto in = input.data<T>();
  auto out = output.mutable_data<T>();
  int64_t groups = 1;
  for (size_t axis = 0; axis < shape.rank(); ++axis) groups *= axes[axis] ? 1 : shape[axis];
  if (in.empty()) return;
  const double count = static_cast<double>(shape.element_count() / groups);
  std::vector<double> means(as_index(groups)), squares(means.size());
  const auto at = [&](size_t i) { return as_index(group_of(as_extent(i), shape, axes)); };
  for (size_t i = 0; i < in.size(); ++i) means[at(i)] += static_cast<double>(in[i]) / count;
  for (size_t i = 0; i < in.size(); ++i) {
    const double x = static_cast<double>(in[i]) - means[at(i)];
    squares[at(i)] += x * x / count;
  }
  for (size_t i = 0; i < in.size(); ++i)
    out[i] = static_cast<T>((static_cast<double>(in[i]) - means[at(i)]) / (std::sqrt(squares[at(i)]) + 1e-9));
}

std::unique_ptr<Kernel> make_mean_variance(const KernelContext& context) {
  return kernel_of([listed = context.node.ints_or("axes", {0, 2, 3})](KernelCall& call) {
    const Tensor& input = call.input(0);
    const auto axes = axes_from_front(listed, input.shape().rank());
    Tensor output(input.type(), input.shape(), call.allocator());
    visit_float(input.type(), [&]<class T>(T) { normalize_mean<T>(input, output, axes); });
    call.set_output(0, std::move(output));
  });
}

/// Computes x / sqrt(mean(x^2) + epsilon) over each row.
template <class T>
void normalize_rms(const T* in, T* out, int64_t rows, int64_t length, double epsilon) {
  for (int64_t r = 0; r < rows; ++r, in += length, out += length) {
    double squares = 0;
    for (int64_t i = 0; i < length; ++i) squares += static_cast<double>(in[i]) * static_cast<double>(in[i]);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(length) + epsilon);
    for (int64_t i = 0; i < length; ++i) out[i] = static_cast<T>(static_cast<double>(in[i]) * scale);
  }
}

Tensor as_float32(const Tensor& tensor, Allocator& allocator) {
  const bool half = is_half(tensor.type());
  return half ? convert(tensor, DataType::Float32, allocator) : tensor;
}

/// Makes a kernel whose output has the type of the scale, which need not be that of the input.
std::unique_ptr<Kernel> make_rms_norm(const KernelContext& context) {
  return kernel_of([epsilon = context.node.float_or("epsilon", 1e-5F),
                    axis_attribute = context.node.int_or("axis", -1)](KernelCall& call) {
    const Tensor input = as_float32(call.input(0), call.allocator());
    const Shape& shape = input.shape();
    const size_t axis = axis_from_front(axis_attribute, shape.rank());
    Tensor normal(input.type(), shape, call.allocator());
    visit_float(input.type(), [&]<class T>(T) {
      normalize_rms(input.data<T>().data(), normal.mutable_data<T>().data(), shape.element_count(0, axis),
                    shape.element_count(axis, shape.rank()), static_cast<double>(epsilon));
    });
    const Tensor scale = as_float32(call.input(1), call.allocator());
    if (scale.type() != normal.type()) normal = cast(normal, scale.type(), call.allocator());
    Tensor output = combine(BinaryFunction::Mul, normal, scale, call.allocator());
    if (output.shape() != shape)
      throw Error(ErrorCode::InvalidData, "a scale of shape " + scale.shape().to_string() +
                                              " does not fit an input of shape " + shape.to_string());
    call.set_output(0, convert(output, call.input(1).type(), call.allocator()));
  });
}

struct LrnOptions {
  double alpha, beta, bias;
  int64_t size;
};

double scale_of(double squares, const LrnOptions& options) {
  return std::pow(options.bias + options.alpha / static_cast<double>(options.size) * squares, -options.beta);
}

/// Sums of squares over windows of the channels of one place. A window is the end of one block of its length and the
/// beginning of the next, so that a channel costs the same for any length, and nothing is subtracted (van Herk, 1992).
class WindowSums {
 public:
  WindowSums(int64_t channels, int64_t size)
      : block_(as_index(std::min(size, channels))), from_begin_(as_index(channels)), to_end_(from_begin_.size()) {}

  /// Reads the channels of a place. x  as many numbers as channels, `stride` apart.
  template <class T>
  void take(const T* x, int64_t stride) {
    const size_t count = from_begin_.size();
    for (size_t c = 0; c < count; ++c) {
      const auto value = static_cast<double>(x[as_extent(c) * stride]);
      to_end_[c] = value * value;
      from_begin_[c] = to_end_[c] + (c % block_ == 0 ? 0 : from_begin_[c - 1]);
    }
    for (size_t c = count - 1; c-- > 0;)
      if ((c + 1) % block_ != 0) to_end_[c] += to_end_[c + 1];
  }

  /// Returns the sum over the channels first to last: as many as the window is long, or fewer at either end.
  [[nodiscard]] double sum(int64_t first, int64_t last) const {
    const auto begin = as_index(first), end = as_index(last);
    if (begin / block_ != end / block_) return to_end_[begin] + from_begin_[end];
    return begin % block_ == 0 ? from_begin_[end] : to_end_[begin];
  }

 private:
  size_t block_;
  std::vector<double> from_begin_, to_end_;
};

/// Divides channel c by (bias + alpha / size * sum of squares)^beta over the channels c - floor((size - 1) / 2) to
/// c + ceil((size - 1) / 2).
template <class T>
void normalize_channels(const T* in, T* out, int64_t channels, int64_t space, const LrnOptions& options) {
  const auto first = [&](int64_t c) { return std::max<int64_t>(0, c - (options.size - 1) / 2); };
  const auto last = [&](int64_t c) { return std::min(channels - 1, c + options.size / 2); };
  constexpr int64_t kShort = 16;
  if (options.size > kShort) {
    WindowSums sums(channels, options.size);
    for (int64_t i = 0; i < space; ++i) {
      stop_if_interrupted();
      sums.take(in + i, space);
      for (int64_t c = 0, at = i; c < channels; ++c, at += space)
        out[at] = static_cast<T>(static_cast<double>(in[at]) * scale_of(sums.sum(first(c), last(c)), options));
    }
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    stop_if_interrupted();
    for (int64_t i = 0; i < space; ++i) {
      double squares = 0;
      for (int64_t k = first(c); k <= last(c); ++k) {
        const auto x = static_cast<double>(in[k * space + i]);
        squares += x * x;
      }
      const int64_t at = c * space + i;
      out[at] = static_cast<T>(static_cast<double>(in[at]) * scale_of(squares, options));
    }
  }
}

LrnOptions lrn_options(const Node& node) {
  const LrnOptions options{.alpha = node.float_or("alpha", 1e-4F),
                           .beta = node.float_or("beta", 0.75F),
                           .bias = node.float_or("bias", 1),
                           .size = node.int_or("size", 0)};
  if (options.size < 1) throw Error(ErrorCode::InvalidModel, "attribute size must be at least 1");
  return options;
}

void run_lrn(KernelCall& call, const LrnOptions& options) {
  const Tensor& input = call.input(0);
  const Shape& shape = input.shape();
  if (shape.rank() < 2) throw Error(ErrorCode::InvalidData, "input of shape " + shape.to_string() + " has no channels");
  Tensor output(input.type(), shape, call.allocator());
  const int64_t sample = shape.element_count(1, shape.rank()), space = shape.element_count(2, shape.rank());
  visit_float(input.type(), [&]<class T>(T) {
    for (int64_t n = 0; sample > 0 && n < shape[0]; ++n)
      normalize_channels(input.data<T>().data() + n * sample, output.mutable_data<T>().data() + n * sample, shape[1],
                         space, options);
  });
  call.set_output(0, std::move(output));
}

}  // namespace

std::vector<OperatorDef> small_norm_operators() {
  return {
      {"LpNormalization", {.kind = OpKind::OtherNorm}, with_half<make_lp_norm>},
      {"MeanVarianceNormalization", {.kind = OpKind::OtherNorm}, with_half<make_mean_variance>, 9},
      {"RMSNormalization", {.kind = OpKind::OtherNorm, .data_inputs = 1}, make_rms_norm, 23},
      {"LRN", {.kind = OpKind::OtherNorm}, with_half<make_with<lrn_options, run_lrn>>},
  };
}

}  // namespace detent
