#include <algorithm>
#include <cstring>

#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

std::unique_ptr<Kernel> make_eye_like(const KernelContext& context) {
  const DataType wanted = data_type_from_onnx(context.node.int_or("dtype", 0));
  return kernel_of([wanted, k = context.node.int_or("k", 0)](KernelCall& call) {
    const Shape shape = call.input(0).shape();
    if (shape.rank() != 2)
      throw Error(ErrorCode::InvalidData, "a matrix was expected, the input has shape " + shape.to_string());
    const DataType type = wanted == DataType::Undefined ? call.input(0).type() : wanted;
    const Tensor one = cast(Tensor::scalar(1.0F), type);
    Tensor& output = call.make_output(0, type, shape);
    visit_size(byte_size(type), [&]<class T>(T) {
      T* out = static_cast<T*>(output.mutable_raw());
      std::fill_n(out, shape.element_count(), T{0});
      for (int64_t r = 0; r < shape[0]; ++r)
        if (k >= -r && k < shape[1] - r) std::memcpy(out + r * shape[1] + r + k, one.raw(), sizeof(T));
    });
  });
}

std::optional<Unsupported> refuse_eye_like_type(const KernelContext& context) {
  const int64_t code = context.node.int_or("dtype", 0);
  if (code == 0 || data_type_from_onnx(code) != DataType::Undefined) return std::nullopt;
  return Unsupported{"element type " + std::to_string(code) + " of ONNX, which Detent does not compute with"};
}

constexpr OperatorDef kEyeLikeDefinitions[] = {
    {.op_type = "EyeLike",
     .signature = "input -> output; dtype:int k:int",
     .traits = {.data_inputs = 0},
     .make = make_eye_like,
     .first_opset = 9,
     .check = refuse_eye_like_type},
};

}  // namespace

std::span<const OperatorDef> eye_like_operators() { return kEyeLikeDefinitions; }

}  // namespace detent
