#include <algorithm>
#include <cmath>

#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

struct Options {
  double alpha, beta, bias;
  int64_t size;
};

/// Channel c is divided by (bias + alpha / size * sum of squares)^beta over the channels c - floor((size - 1) / 2) to
/// c + ceil((size - 1) / 2).
template <class T>
void normalize(const T* in, T* out, int64_t channels, int64_t space, const Options& options) {
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t first = std::max<int64_t>(0, c - (options.size - 1) / 2);
    const int64_t last = std::min(channels - 1, c + options.size / 2);
    for (int64_t i = 0; i < space; ++i) {
      double squares = 0;
      for (int64_t k = first; k <= last; ++k) {
        const auto x = static_cast<double>(in[k * space + i]);
        squares += x * x;
      }
      const double scale =
          std::pow(options.bias + options.alpha / static_cast<double>(options.size) * squares, -options.beta);
      out[c * space + i] = static_cast<T>(static_cast<double>(in[c * space + i]) * scale);
    }
  }
}

std::unique_ptr<Kernel> make_lrn(const KernelContext& context) {
  const Options options{.alpha = context.node.float_or("alpha", 1e-4F),
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
    visit_number(input.type(), [&]<class T>(T) {
      if constexpr (!std::is_floating_point_v<T>) throw unsupported_type(input.type());
      for (int64_t n = 0; n < shape[0]; ++n)
        normalize(input.data<T>().data() + n * sample, output.mutable_data<T>().data() + n * sample, shape[1], space,
                  options);
    });
    call.set_output(0, std::move(output));
  });
}

constexpr OperatorDef kDefinitions[] = {
    {.op_type = "LRN",
     .signature = "X -> Y; alpha:float beta:float bias:float size:int!",
     .traits = {.kind = OpKind::OtherNorm},
     .make = with_half<make_lrn>},
};

}  // namespace

std::span<const OperatorDef> lrn_operators() { return kDefinitions; }

}  // namespace detent
