#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

enum class Total : uint8_t { None, Sum, Mean };

struct ClassificationLossOptions {
  Total total = Total::Mean;
  std::optional<int64_t> ignored;

  explicit ClassificationLossOptions(const Node& node) {
    const std::string reduction = node.string_or("reduction", "mean");
    if (reduction != "none" && reduction != "sum" && reduction != "mean")
      throw Error(ErrorCode::InvalidModel, "unknown reduction '" + reduction + "'");
    total = reduction == "none" ? Total::None : reduction == "sum" ? Total::Sum : Total::Mean;
    if (node.has("ignore_index")) ignored = node.int_or("ignore_index", 0);
  }
};

/// N x C x space, and one label a sample and position.
AxisView classes_of(const Shape& scores, const Shape& labels) {
  Shape expected;
  for (size_t i = 0; i < scores.rank(); ++i)
    if (i != 1) expected.push_back(scores[i]);
  if (scores.rank() < 2 || labels != expected)
    throw Error(ErrorCode::InvalidData,
                "labels of shape " + labels.to_string() + " do not fit scores of shape " + scores.to_string());
  return view_around(scores, Layout::Plain, 1);
}

/// -weight[label] * log_probability[label], 0 where the label is ignored; its mean is weighted.
template <class T>
Tensor loss_of(const Tensor& log_probabilities, const KernelCall& call, const ClassificationLossOptions& options) {
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
void run_loss(KernelCall& call, const ClassificationLossOptions& options) {
  const Tensor input = call.input(0);
  visit_number(input.type(), [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      const Tensor log_probabilities =
          given == Given::Scores && input.shape().rank() >= 2 ? log_softmax<T>(input, call.allocator()) : input;
      call.set_output(0, loss_of<T>(log_probabilities, call, options));
      if (given == Given::Scores) call.set_output(1, log_probabilities);
    } else {
      throw unsupported_type(input.type());
    }
  });
}

template <Given given>
std::unique_ptr<Kernel> make_loss(const KernelContext& context) {
  return kernel_of(
      [options = ClassificationLossOptions(context.node)](KernelCall& call) { run_loss<given>(call, options); });
}

constexpr OperatorDef kClassificationLossDefinitions[] = {
    {.op_type = "NegativeLogLikelihoodLoss",
     .signature = "input target weight? -> loss; ignore_index:int reduction:string(none|sum|mean)",
     .traits = {.data_inputs = 1},
     .make = with_half<make_loss<Given::LogProbabilities>>,
     .first_opset = 12},
    {.op_type = "SoftmaxCrossEntropyLoss",
     .signature = "scores labels weights? -> output log_prob?; ignore_index:int reduction:string(none|sum|mean)",
     .traits = {.data_inputs = 1},
     .make = with_half<make_loss<Given::Scores>>,
     .first_opset = 12},
};

}  // namespace

std::span<const OperatorDef> classification_loss_operators() { return kClassificationLossDefinitions; }

}  // namespace detent
