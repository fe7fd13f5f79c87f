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
#include "ops/types/float_types.h"

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

/// Gives `rows` stretches of `length` mean 0 and variance 1. `in` is centred first: the variance of centred values does
/// not cancel.
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

/// Does what normalize_rows does along the columns of one sample, whose channels lie side by side.
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

/// Computes output 0 = f(output 0, operand), where the operand has one element for each of a row of `length`, or any
/// shape that can be broadcast to the output's.
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

/// Normalizes over the axes from `axis` on.
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

/// Makes a kernel whose mean and deviation have the type that attribute stash_type names, whatever the data's is.
std::unique_ptr<Kernel> make_layer_norm(const KernelContext& context) {
  const auto statistics = data_type_from_onnx(context.node.int_or("stash_type", 1));
  return kernel_of([statistics, epsilon = context.node.float_or("epsilon", 1e-5F),
                    axis_attribute = context.node.int_or("axis", -1)](KernelCall& call) {
    const size_t axis = axis_from_front(axis_attribute, call.input(0).shape().rank());
    const DataType types[] = {call.input(0).type(), statistics, statistics};
    run_in_float(call, types, [&](KernelCall& floats) { run_layer_norm(floats, axis, epsilon); });
  });
}

/// Makes a kernel that takes one scale and bias a group (opset 18) or one a channel (21).
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

struct BatchNormOptions {
  float epsilon, momentum;
  bool training;
};

/// Mean and variance of every channel.
struct Statistics {
  std::vector<float> mean, variance;
};

std::vector<float> parameter(const KernelCall& call, size_t slot, int64_t channels) {
  const Tensor& tensor = call.input(slot);
  if (tensor.element_count() != channels)
    throw Error(ErrorCode::InvalidModel, "input " + std::to_string(slot) + " has shape " + tensor.shape().to_string() +
                                             ", expected " + std::to_string(channels) + " channels");
  return {tensor.data<float>().begin(), tensor.data<float>().end()};
}

/// Measures the data, in double; the variance is that of the whole population.
Statistics measured(const float* in, const AxisView& view) {
  const auto channels = as_index(view.extent);
  const double count = static_cast<double>(view.outer * view.inner);
  std::vector<double> sums(channels), squares(channels);
  const auto over_channels = [&](auto&& visit) {
    for (int64_t i = 0; i < view.outer * view.extent * view.inner; ++i)
      visit(as_index(i / view.inner % view.extent), static_cast<double>(in[i]));
  };
  over_channels([&](size_t c, double x) { sums[c] += x; });
  over_channels([&](size_t c, double x) { squares[c] += (x - sums[c] / count) * (x - sums[c] / count); });
  Statistics statistics;
  for (size_t c = 0; c < channels; ++c) {
    statistics.mean.push_back(static_cast<float>(sums[c] / count));
    statistics.variance.push_back(static_cast<float>(squares[c] / count));
  }
  return statistics;
}

/// Writes before * momentum + now * (1 - momentum) into output `slot`.
void set_running(KernelCall& call, size_t slot, const std::vector<float>& before, const std::vector<float>& now,
                 float momentum) {
  if (!call.wants_output(slot)) return;
  auto out = call.make_output(slot, DataType::Float32, Shape{std::ssize(now)}).mutable_data<float>();
  for (size_t c = 0; c < now.size(); ++c) out[c] = before[c] * momentum + now[c] * (1 - momentum);
}

/// Normalizes by channel; data of rank 1 have one.
void run_batch_norm(KernelCall& call, const BatchNormOptions& options) {
  const Shape shape = call.input(0).shape();
  if (shape.rank() < 1) throw Error(ErrorCode::InvalidData, "the input is a scalar, which has no channel axis");
  const AxisView view = shape.rank() == 1 ? AxisView{.outer = shape[0], .extent = 1, .inner = 1}
                                          : view_around(shape, call.input(0).layout(), 1);
  std::vector<float> scale = parameter(call, 1, view.extent), shift = parameter(call, 2, view.extent);
  Statistics used{parameter(call, 3, view.extent), parameter(call, 4, view.extent)};
  const float* in = call.input(0).data<float>().data();
  if (options.training) {
    Statistics now = measured(in, view);
    set_running(call, 1, used.mean, now.mean, options.momentum);
    set_running(call, 2, used.variance, now.variance, options.momentum);
    used = std::move(now);
  }
  for (size_t c = 0; c < scale.size(); ++c) {
    scale[c] /= std::sqrt(used.variance[c] + options.epsilon);
    shift[c] -= used.mean[c] * scale[c];
  }
  float* out = call.make_output_like(0, 0).mutable_data<float>().data();
  apply_channel_affine(in, out, scale.data(), shift.data(), {view.outer, view.extent, view.inner});
}

/// Makes a kernel whose running statistics have the type of those given, which need not be that of the data.
std::unique_ptr<Kernel> make_batch_norm(const KernelContext& context) {
  const BatchNormOptions options{.epsilon = context.node.float_or("epsilon", 1e-5F),
                                 .momentum = context.node.float_or("momentum", 0.9F),
                                 .training = context.node.int_or("training_mode", 0) != 0};
  return kernel_of([options](KernelCall& call) {
    const DataType types[] = {call.input(0).type(), call.input(3).type(), call.input(4).type()};
    run_in_float(call, types, [&](KernelCall& floats) { run_batch_norm(floats, options); });
  });
}

std::optional<Unsupported> refuse_without_channels(const KernelContext& context) {
  if (context.node.int_or("spatial", 1) == 0) return Unsupported{"attribute spatial=0"};
  return std::nullopt;
}

}  // namespace

std::vector<OperatorDef> normalization_operators() {
  const OpTraits batch{.kind = OpKind::BatchNorm, .data_inputs = 1}, layer{.kind = OpKind::LayerNorm, .data_inputs = 1};
  const OpTraits instance{.kind = OpKind::InstanceNorm, .data_inputs = 1};
  const OpTraits group{.kind = OpKind::GroupNorm, .data_inputs = 1};
  return {
      {"BatchNormalization", batch, make_batch_norm, 7, LayoutNeed::Any, refuse_without_channels},
      {"InstanceNormalization", instance, with_float<make_instance_norm>, 6, LayoutNeed::Any},
      {"LayerNormalization", layer, make_layer_norm, 17},
      {"GroupNormalization", group, with_float<make_group_norm>, 18},
  };
}

}  // namespace detent
