#include <cmath>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/simd/elementwise.h"
#include "ops/types/float_only.h"

namespace detent {

namespace {

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

/// Those of the data, in double; the variance is that of the whole population.
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

/// before * momentum + now * (1 - momentum), into output `slot`.
void set_running(KernelCall& call, size_t slot, const std::vector<float>& before, const std::vector<float>& now,
                 float momentum) {
  if (!call.wants_output(slot)) return;
  auto out = call.make_output(slot, DataType::Float32, Shape{std::ssize(now)}).mutable_data<float>();
  for (size_t c = 0; c < now.size(); ++c) out[c] = before[c] * momentum + now[c] * (1 - momentum);
}

/// Data of rank 1 have one channel.
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

/// Running statistics have the type of those given, which need not be that of the data.
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

constexpr OperatorDef kBatchNormDefinitions[] = {
    {.op_type = "BatchNormalization",
     .signature =
         "X scale B mean var -> Y mean? var? saved_mean? saved_var?; epsilon:float momentum:float spatial:int | 9: X "
         "scale B mean var -> Y mean? var? saved_mean? saved_var?; epsilon:float momentum:float | 14: X scale B "
         "input_mean input_var -> Y running_mean? running_var?; epsilon:float momentum:float training_mode:int",
     .traits = {.kind = OpKind::BatchNorm, .data_inputs = 1},
     .make = make_batch_norm,
     .first_opset = 7,
     .layout = LayoutNeed::Any,
     .check = refuse_without_channels},
};

}  // namespace

std::span<const OperatorDef> batch_norm_operators() { return kBatchNormDefinitions; }

}  // namespace detent
