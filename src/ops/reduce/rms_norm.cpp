#include <cmath>

#include "core/float_type.h"
#include "ops/elementwise/binary.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// x / sqrt(mean(x^2) + epsilon) over the axes from `axis` on.
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

/// The output has the type of the scale, which need not be that of the input.
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

constexpr OperatorDef kRmsNormDefinitions[] = {
    {.op_type = "RMSNormalization",
     .signature = "X scale -> Y; axis:int epsilon:float stash_type:int",
     .traits = {.kind = OpKind::OtherNorm, .data_inputs = 1},
     .make = make_rms_norm,
     .first_opset = 23},
};

}  // namespace

std::span<const OperatorDef> rms_norm_operators() { return kRmsNormDefinitions; }

}  // namespace detent
