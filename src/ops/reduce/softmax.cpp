#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/simd/reduce.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

void run_on(KernelCall& call, const Tensor& input, SoftmaxFunction function, const AxisView& view) {
  Tensor& output = &input == &call.input(0) ? call.make_output_like(0, 0)
                                            : call.make_output(0, DataType::Float32, input.shape(), input.layout());
  softmax_run(function, input.data<float>().data(), output.mutable_data<float>().data(), view.outer, view.extent,
              view.inner);
}

/// Computes in float; double is cast to it and back.
void run_softmax(KernelCall& call, SoftmaxFunction function, int64_t axis_attribute, bool flattens) {
  const Tensor& given = call.input(0);
  const size_t axis = axis_from_front(axis_attribute, std::max<size_t>(given.shape().rank(), 1));
  if (given.type() != DataType::Float32 || (flattens && given.layout() != Layout::Plain)) {
    const Tensor input =
        cast(flattens ? to_plain(given, call.allocator()) : given, DataType::Float32, call.allocator());
    Tensor inputs[] = {input};
    Tensor result;
    KernelCall inner(inputs, std::span(&result, 1), {}, call.allocator(), call.workspace());
    run_softmax(inner, function, axis_attribute, flattens);
    return call.set_output(0,
                           given.type() == DataType::Float32 ? result : cast(result, given.type(), call.allocator()));
  }
  const Shape& shape = given.shape();
  if (flattens || shape.rank() == 0)
    return run_on(call, given, function,
                  {shape.element_count(0, std::min(axis, shape.rank())),
                   shape.element_count(std::min(axis, shape.rank()), shape.rank()), 1});
  run_on(call, given, function, view_around(shape, given.layout(), axis));
}

/// Makes a kernel; before opset 13 the axes from `axis` on are one, since then only `axis` itself counts.
template <SoftmaxFunction function>
std::unique_ptr<Kernel> make_softmax(const KernelContext& context) {
  const bool flattens = context.opset < 13;
  return kernel_of([flattens, axis = context.node.int_or("axis", flattens ? 1 : -1)](KernelCall& call) {
    run_softmax(call, function, axis, flattens);
  });
}

/// Writes 1 at the first largest element of every line, 0 elsewhere.
template <class T>
void mark_largest(const T* in, T* out, const AxisView& view) {
  std::fill_n(out, view.outer * view.extent * view.inner, T{0});
  if (view.extent == 0) return;
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      const int64_t line = o * view.extent * view.inner + i;
      int64_t best = 0;
      for (int64_t k = 1; k < view.extent; ++k)
        if (in[line + k * view.inner] > in[line + best * view.inner]) best = k;
      out[line + best * view.inner] = T{1};
    }
}

/// Makes a kernel; before opset 13 the axes from `axis` on are one, since then only `axis` itself counts.
std::unique_ptr<Kernel> make_hardmax(const KernelContext& context) {
  const bool flattens = context.opset < 13;
  return kernel_of([flattens, axis_attribute = context.node.int_or("axis", flattens ? 1 : -1)](KernelCall& call) {
    const Tensor& input = call.input(0);
    const Shape shape = input.shape().rank() == 0 ? Shape{1} : input.shape();
    const size_t rank = shape.rank();
    const bool all = flattens && axis_attribute == as_extent(rank);  // then every element is a line
    const size_t axis = all ? rank - 1 : axis_from_front(axis_attribute, rank);
    AxisView view = view_around(shape, Layout::Plain, axis);
    if (flattens) view = {shape.element_count(0, axis), shape.element_count(axis, rank), 1};
    if (all) view = {shape.element_count(), 1, 1};
    visit_number(input.type(), [&]<class T>(T) {
      Tensor output(input.type(), input.shape(), call.allocator());
      mark_largest(input.data<T>().data(), output.mutable_data<T>().data(), view);
      call.set_output(0, std::move(output));
    });
  });
}

enum class Total : uint8_t { None, Sum, Mean };

constexpr Named<Total> kTotals[] = {{"none", Total::None}, {"sum", Total::Sum}, {"mean", Total::Mean}};

struct LossOptions {
  Total total;
  std::optional<int64_t> ignored;
};

LossOptions loss_options(const Node& node) {
  LossOptions options{.total = value_named(node, "reduction", "mean", kTotals), .ignored = {}};
  if (node.has("ignore_index")) options.ignored = node.int_or("ignore_index", 0);
  return options;
}

/// Returns N x C x space. Errors  InvalidData unless there is one label a sample and position.
AxisView classes_of(const Shape& scores, const Shape& labels) {
  Shape expected;
  for (size_t i = 0; i < scores.rank(); ++i)
    if (i != 1) expected.push_back(scores[i]);
  if (scores.rank() < 2 || labels != expected)
    throw Error(ErrorCode::InvalidData,
                "labels of shape " + labels.to_string() + " do not fit scores of shape " + scores.to_string());
  return view_around(scores, Layout::Plain, 1);
}

/// Computes -weight[label] * log_probability[label], 0 where the label is ignored; the mean is weighted.
template <class T>
Tensor loss_of(const Tensor& log_probabilities, const KernelCall& call, const LossOptions& options) {
  const Tensor& labels = call.input(1);
  const AxisView view = classes_of(log_probabilities.shape(), labels.shape());
  const std::vector<int64_t> label = integers_of(labels);
  const bool weighted = call.has_input(2);
  if (weighted && call.input(2).element_count() != view.extent)
    throw Error(ErrorCode::InvalidData,
                "one weight for each of " + std::to_string(view.extent) + " classes was expected");
  const T* in = log_probabilities.data<T>().data();
  Tensor losses(log_probabilities.type(), labels.shape(), call.allocator());
  auto out = losses.mutable_data<T>();
  double sum = 0, weights = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = T{0};
    if (label[i] == options.ignored) continue;
    if (label[i] < 0 || label[i] >= view.extent)
      throw Error(ErrorCode::InvalidData,
                  "label " + std::to_string(label[i]) + " is none of " + std::to_string(view.extent) + " classes");
    const auto at = as_extent(i);
    const T x = in[(at / view.inner * view.extent + label[i]) * view.inner + at % view.inner];
    const T weight = weighted ? call.input(2).data<T>()[as_index(label[i])] : T{1};
    out[i] = -weight * x;
    sum += static_cast<double>(out[i]);
    weights += static_cast<double>(weight);
  }
  if (options.total == Total::None) return losses;
  return Tensor::scalar(static_cast<T>(options.total == Total::Sum ? sum : sum / weights));
}

template <class T>
Tensor log_softmax(const Tensor& scores, Allocator& allocator) {
  const AxisView view = view_around(scores.shape(), Layout::Plain, 1);
  Tensor result(scores.type(), scores.shape(), allocator);
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      const T* in = scores.data<T>().data() + o * view.extent * view.inner + i;
      T* out = result.mutable_data<T>().data() + o * view.extent * view.inner + i;
      T largest = view.extent > 0 ? in[0] : T{0};
      for (int64_t c = 0; c < view.extent; ++c) largest = std::max(largest, in[c * view.inner]);
      double sum = 0;
      for (int64_t c = 0; c < view.extent; ++c) sum += std::exp(static_cast<double>(in[c * view.inner] - largest));
      const T shift = static_cast<T>(static_cast<double>(largest) + std::log(sum));
      for (int64_t c = 0; c < view.extent; ++c) out[c * view.inner] = in[c * view.inner] - shift;
    }
  return result;
}

/// The numbers that the loss is given.
enum class Given : uint8_t { LogProbabilities, Scores };

template <Given given>
void run_loss(KernelCall& call, const LossOptions& options) {
  const Tensor input = call.input(0);
  visit_float(input.type(), [&]<class T>(T) {
    const Tensor log_probabilities =
        given == Given::Scores && input.shape().rank() >= 2 ? log_softmax<T>(input, call.allocator()) : input;
    call.set_output(0, loss_of<T>(log_probabilities, call, options));
    if (given == Given::Scores) call.set_output(1, log_probabilities);
  });
}

}  // namespace

std::vector<OperatorDef> softmax_operators() {
  constexpr auto softmax = with_half<make_softmax<SoftmaxFunction::Softmax>>;
  constexpr auto log_softmax = with_half<make_softmax<SoftmaxFunction::LogSoftmax>>;
  constexpr auto likelihood_loss = with_half<make_with<loss_options, run_loss<Given::LogProbabilities>>>;
  constexpr auto cross_entropy_loss = with_half<make_with<loss_options, run_loss<Given::Scores>>>;
  return {
      {"Softmax", {.kind = OpKind::Softmax}, softmax, 1, LayoutNeed::Any},
      {"LogSoftmax", {.kind = OpKind::LogSoftmax}, log_softmax, 1, LayoutNeed::Any},
      {"Hardmax", {.kind = OpKind::OtherActivation}, with_half<make_hardmax>},
      {"NegativeLogLikelihoodLoss", {.data_inputs = 1}, likelihood_loss, 12},
      {"SoftmaxCrossEntropyLoss", {.data_inputs = 1}, cross_entropy_loss, 12},
  };
}

}  // namespace detent
