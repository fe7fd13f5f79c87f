#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/index.h"
#include "core/stop.h"
#include "model/graph/tensor_proto.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

std::unique_ptr<Kernel> make_constant(const KernelContext& context) {
  const Tensor* value = context.graph.constant(context.node.output(0));
  if (!value)
    throw Error(ErrorCode::Unsupported,
                "the constant is of a kind that cannot be computed with (strings, sparse tensors)");
  return kernel_of([value = *value](KernelCall& call) { call.set_output(0, value); });
}

std::unique_ptr<Kernel> make_constant_of_shape(const KernelContext& context) {
  const Tensor* value = context.node.tensor("value");
  if (value && value->element_count() != 1)
    throw Error(ErrorCode::InvalidModel, "attribute value must hold one element");
  return kernel_of([value = value ? *value : Tensor::scalar(0.0F)](KernelCall& call) {
    const std::vector<int64_t> extents = integers_of(call.input(0));
    for (const int64_t extent : extents)
      if (extent < 0)
        throw Error(ErrorCode::InvalidData, "negative extent " + std::to_string(extent) + " in the wanted shape");
    Tensor& output = call.make_output(0, value.type(), Shape(extents));
    visit_size(byte_size(value.type()), [&]<class T>(T) {
      T* out = static_cast<T*>(output.mutable_raw());
      const T element = *static_cast<const T*>(value.raw());
      in_stoppable_blocks(as_index(output.element_count()),
                          [&](size_t first, size_t last) { std::fill(out + first, out + last, element); });
    });
  });
}

void run_range(KernelCall& call) {
  for (size_t i = 0; i < 3; ++i)
    if (call.input(i).element_count() != 1)
      throw Error(ErrorCode::InvalidModel, "start, limit and delta must be scalars");
  visit_number(call.input(0).type(), [&]<class T>(T) {
    const T start = call.input(0).data<T>()[0], limit = call.input(1).data<T>()[0], step = call.input(2).data<T>()[0];
    const double turns =
        std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(step));
    if (!(turns < 0x1p40)) throw Error(ErrorCode::InvalidData, "the range has no end (step is 0?)");
    const int64_t count = turns > 0 ? static_cast<int64_t>(turns) : 0;
    auto out = call.make_output(0, call.input(0).type(), Shape{count}).template mutable_data<T>();
    in_stoppable_blocks(out.size(), [&](size_t first, size_t last) {
      using Wide =
          std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // i * step may leave T where the sum does not
      for (size_t i = first; i < last; ++i)
        out[i] = static_cast<T>(static_cast<Wide>(start) + static_cast<Wide>(i) * static_cast<Wide>(step));
    });
  });
}

constexpr OpTraits kConstant{.kind = OpKind::Constant, .data_inputs = 0};

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

}  // namespace

std::vector<OperatorDef> constant_operators() {
  return {
      {"Constant", kConstant, make_constant},
      {"ConstantOfShape", kConstant, make_constant_of_shape},
      {"Range", kConstant, with_half<stateless<run_range>>},
      {"EyeLike", {.data_inputs = 0}, make_eye_like, 9},
  };
}

}  // namespace detent
