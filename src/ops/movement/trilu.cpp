#include <algorithm>

#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

/// Keeps what lies on and above (upper) or on and below the diagonal number k of every matrix; the rest becomes 0.
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

constexpr OperatorDef kTriluDefinitions[] = {
    {"Trilu", "input k? -> output; upper:int", {.data_inputs = 1}, make_trilu, 14},
};

}  // namespace

std::span<const OperatorDef> trilu_operators() { return kTriluDefinitions; }

}  // namespace detent
