#include <algorithm>
#include <cmath>
#include <vector>

#include "core/index.h"
#include "core/stop.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

struct LrnOptions {
  double alpha, beta, bias;
  int64_t size;
};

double scale_of(double squares, const LrnOptions& options) {
  return std::pow(options.bias + options.alpha / static_cast<double>(options.size) * squares, -options.beta);
}

/// Sums of squares over windows of the channels of one place. A window is the end of one block of its length and the beginning of the
/// next, so that a channel costs the same for any length, and nothing is subtracted (van Herk, 1992).
class WindowSums {
 public:
  WindowSums(int64_t channels, int64_t size)
      : block_(as_index(std::min(size, channels))), from_begin_(as_index(channels)), to_end_(from_begin_.size()) {}

  /// x  as many numbers as channels, `stride` apart.
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

  /// Of the channels first to last: as many as the window is long, or fewer up to the last channel or from the first.
  [[nodiscard]] double sum(int64_t first, int64_t last) const {
    const auto begin = as_index(first), end = as_index(last);
    if (begin / block_ != end / block_) return to_end_[begin] + from_begin_[end];
    return begin % block_ == 0 ? from_begin_[end] : to_end_[begin];
  }

 private:
  size_t block_;
  std::vector<double> from_begin_, to_end_;
};

/// Channel c is divided by (bias + alpha / size * sum of squares)^beta over the channels c - floor((size - 1) / 2) to
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

std::unique_ptr<Kernel> make_lrn(const KernelContext& context) {
  const LrnOptions options{.alpha = context.node.float_or("alpha", 1e-4F),
                           .beta = context.node.float_or("beta", 0.75F),
                           .bias = context.node.float_or("bias", 1),
                           .size = context.node.int_or("size", 0)};
  if (options.size < 1) throw Error(ErrorCode::InvalidModel, "attribute size must be at least 1");
  return kernel_of([options](KernelCall& call) {
    const Tensor& input = call.input(0);
    const Shape& shape = input.shape();
    if (shape.rank() < 2)
      throw Error(ErrorCode::InvalidData, "input of shape " + shape.to_string() + " has no channels");
    Tensor output(input.type(), shape, call.allocator());
    const int64_t sample = shape.element_count(1, shape.rank()), space = shape.element_count(2, shape.rank());
    visit_float(input.type(), [&]<class T>(T) {
      for (int64_t n = 0; sample > 0 && n < shape[0]; ++n)
        normalize_channels(input.data<T>().data() + n * sample, output.mutable_data<T>().data() + n * sample, shape[1],
                           space, options);
    });
    call.set_output(0, std::move(output));
  });
}

constexpr OperatorDef kLrnDefinitions[] = {
    {"LRN", "X -> Y; alpha:float beta:float bias:float size:int!", {.kind = OpKind::OtherNorm}, with_half<make_lrn>},
};

}  // namespace

std::span<const OperatorDef> lrn_operators() { return kLrnDefinitions; }

}  // namespace detent
