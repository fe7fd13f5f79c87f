#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "model/graph/tensor_proto.h"
#include "ops/elementwise/binary.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/simd/elementwise.h"
#include "ops/simd/reduce.h"
#include "ops/types/float_only.h"

namespace detent {

namespace {

const float* floats(const Tensor& tensor, int64_t count, const char* what) {
  if (tensor.element_count() != count)
    throw Error(ErrorCode::InvalidModel, std::string(what) + " has shape " + tensor.shape().to_string() +
                                             ", expected " + std::to_string(count) + " elements");
  return tensor.data<float>().data();
}

struct RowStatistics {
  std::vector<float> means, inverses;  ///< of each row: 1 / sqrt(variance + epsilon)
};

/// Mean 0 and variance 1 for `rows` stretches of `length`: in is centred first, since the variance of centred values
/// does not cancel.
void normalize_rows(const float* in, float* out, int64_t rows, int64_t length, float epsilon,
                    RowStatistics& statistics) {
  auto& [means, inverses] = statistics;
  means.assign(as_index(rows), 0);
  inverses.assign(as_index(rows), 0);
  const auto count = static_cast<float>(length);
  reduce_run(ReduceFunction::Sum, in, means.data(), rows, length, 1);
  for (float& mean : means) mean /= count;
  apply_binary(BinaryFunction::Sub, in, means.data(), out,
               {.rows = rows, .length = length, .a_row = length, .b_row = 1, .b_step = 0});
  reduce_run(ReduceFunction::SumSquare, out, inverses.data(), rows, length, 1);
  for (float& inverse : inverses) inverse = 1 / std::sqrt(inverse / count + epsilon);
  apply_binary(BinaryFunction::Mul, out, inverses.data(), out,
               {.rows = rows, .length = length, .a_row = length, .b_row = 1, .b_step = 0});
}

/// One sample whose channels lie side by side: the same as normalize_rows, along the columns.
void normalize_columns(const float* in, float* out, int64_t space, int64_t channels, float epsilon) {
  std::vector<float> means(as_index(channels)), inverses(means.size()), ones(means.size(), 1), none(means.size(), 0);
  const auto count = static_cast<float>(space);
  reduce_run(ReduceFunction::Sum, in, means.data(), 1, space, channels);
  for (float& mean : means) mean = -(mean / count);
  apply_channel_affine(in, out, ones.data(), means.data(), {space, channels, 1});
  reduce_run(ReduceFunction::SumSquare, out, inverses.data(), 1, space, channels);
  for (float& inverse : inverses) inverse = 1 / std::sqrt(inverse / count + epsilon);
  apply_channel_affine(out, out, inverses.data(), none.data(), {space, channels, 1});
}

std::unique_ptr<Kernel> make_instance_norm(const KernelContext& context) {
  return kernel_of([epsilon = context.node.float_or("epsilon", 1e-5F)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const Shape& shape = input.shape();
    if (shape.rank() < 3)
      throw Error(ErrorCode::InvalidData, "input of shape " + shape.to_string() + " has no spatial axes");
    const int64_t channels = shape[1], space = shape.element_count(2, shape.rank());
    const float* scale = floats(call.input(1), channels, "the scale");
    const float* bias = floats(call.input(2), channels, "the bias");
    const float* in = input.data<float>().data();
    Tensor& output = call.make_output(0, DataType::Float32, shape, input.layout());
    float* out = output.mutable_data<float>().data();
    RowStatistics statistics;
    if (input.layout() == Layout::Plain) {
      normalize_rows(in, out, shape[0] * channels, space, epsilon, statistics);
    } else {
      for (int64_t n = 0; n < shape[0]; ++n)
        normalize_columns(in + n * channels * space, out + n * channels * space, space, channels, epsilon);
    }
    const AxisView view = view_around(shape, input.layout(), 1);
    apply_channel_affine(out, out, scale, bias, {view.outer, view.extent, view.inner});
  });
}

/// Output 0 = f(output 0, operand), where the operand has one element for each of a row of `length`, or any shape that
/// can be broadcast to the output's.
void combine_rows(KernelCall& call, BinaryFunction function, const Tensor& operand, size_t axis) {
  const Shape shape = call.output(0).shape();
  const int64_t rows = shape.element_count(0, axis), length = shape.element_count(axis, shape.rank());
  if (operand.shape() == Shape(shape.dims().subspan(axis))) {
    float* out = call.output(0).mutable_data<float>().data();
    return apply_binary(function, out, operand.data<float>().data(), out,
                        {.rows = rows, .length = length, .a_row = length});
  }
  Tensor result = combine(function, call.output(0), operand, call.allocator());
  if (result.shape() != shape)
    throw Error(ErrorCode::InvalidModel, "a scale or bias of shape " + operand.shape().to_string() +
                                             " does not fit an input of shape " + shape.to_string());
  call.set_output(0, std::move(result));
}

/// Over the axes from `axis` on.
void run_layer_norm(KernelCall& call, size_t axis, float epsilon) {
  const Shape shape = call.input(0).shape();
  const int64_t rows = shape.element_count(0, axis), length = shape.element_count(axis, shape.rank());
  const float* in = call.input(0).data<float>().data();
  float* out = call.make_output_like(0, 0).mutable_data<float>().data();
  RowStatistics rows_seen;
  normalize_rows(in, out, rows, length, epsilon, rows_seen);
  combine_rows(call, BinaryFunction::Mul, call.input(1), axis);
  if (call.has_input(2)) combine_rows(call, BinaryFunction::Add, call.input(2), axis);

  Shape statistics = shape;
  for (size_t i = axis; i < shape.rank(); ++i) statistics[i] = 1;
  if (call.wants_output(1))
    std::ranges::copy(rows_seen.means,
                      call.make_output(1, DataType::Float32, statistics).mutable_data<float>().begin());
  if (call.wants_output(2))
    std::ranges::copy(rows_seen.inverses,
                      call.make_output(2, DataType::Float32, statistics).mutable_data<float>().begin());
}

/// Mean and deviation come out in the type that attribute stash_type names, whatever the data's is.
std::unique_ptr<Kernel> make_layer_norm(const KernelContext& context) {
  const auto statistics = data_type_from_onnx(context.node.int_or("stash_type", 1));
  return kernel_of([statistics, epsilon = context.node.float_or("epsilon", 1e-5F),
                    axis_attribute = context.node.int_or("axis", -1)](KernelCall& call) {
    const size_t axis = axis_from_front(axis_attribute, call.input(0).shape().rank());
    const DataType types[] = {call.input(0).type(), statistics, statistics};
    run_in_float(call, types, [&](KernelCall& floats) { run_layer_norm(floats, axis, epsilon); });
  });
}

/// Scale and bias are given one a group (opset 18) or one a channel (21).
std::unique_ptr<Kernel> make_group_norm(const KernelContext& context) {
  return kernel_of([epsilon = context.node.float_or("epsilon", 1e-5F),
                    groups = context.node.int_or("num_groups", 0)](KernelCall& call) {
    const Shape shape = call.input(0).shape();
    if (shape.rank() < 2 || groups < 1 || groups > std::max<int64_t>(1, shape[1]) || shape[1] % groups != 0)
      throw Error(ErrorCode::InvalidData,
                  "input of shape " + shape.to_string() + " does not split into " + std::to_string(groups) + " groups");
    const int64_t channels = shape[1], space = shape.element_count(2, shape.rank());
    const float* in = call.input(0).data<float>().data();
    float* out = call.make_output_like(0, 0).mutable_data<float>().data();
    RowStatistics statistics;
    std::vector<float> scales, biases;
    normalize_rows(in, out, shape[0] * groups, channels / groups * space, epsilon, statistics);
    const bool one_a_group = call.input(1).element_count() == groups;
    const float* scale = floats(call.input(1), one_a_group ? groups : channels, "the scale");
    const float* bias = floats(call.input(2), one_a_group ? groups : channels, "the bias");
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t at = one_a_group ? c / (channels / groups) : c;
      scales.push_back(scale[at]);
      biases.push_back(bias[at]);
    }
    apply_channel_affine(out, out, scales.data(), biases.data(), {shape[0], channels, space});
  });
}

constexpr OperatorDef kNormalizationDefinitions[] = {
    {.op_type = "InstanceNormalization",
     .signature = "input scale B -> output; epsilon:float",
     .traits = {.kind = OpKind::InstanceNorm, .data_inputs = 1},
     .make = with_float<make_instance_norm>,
     .first_opset = 6,
     .layout = LayoutNeed::Any},
    {.op_type = "LayerNormalization",
     .signature = "X Scale B? -> Y Mean? InvStdDev?; axis:int epsilon:float stash_type:int",
     .traits = {.kind = OpKind::LayerNorm, .data_inputs = 1},
     .make = make_layer_norm,
     .first_opset = 17},
    {.op_type = "GroupNormalization",
     .signature = "X scale bias -> Y; epsilon:float num_groups:int! | 21: X scale bias -> Y; epsilon:float "
                  "num_groups:int! stash_type:int",
     .traits = {.kind = OpKind::GroupNorm, .data_inputs = 1},
     .make = with_float<make_group_norm>,
     .first_opset = 18},
};

}  // namespace

std::span<const OperatorDef> normalization_operators() { return kNormalizationDefinitions; }

}  // namespace detent
