// What a reduction holds while it sums, not only what it puts out.
//
//   ReduceMean, GlobalAveragePool   elements * mean |x|
//   ReduceSum                       the same; its output may be small where signs cancel
//   ReduceSumSquare, ReduceL2       the sum of squares: of ReduceL2 its output squared
//   ReduceLogSumExp                 elements * exp(largest x)
//
// Normalization operators are not among them: ONNX lets them compute in FP32 (stash_type = 1), and TensorRT does by default.
// Source: ONNX LayerNormalization-17; NvInfer.h, INormalizationLayer::setComputePrecision.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "half/float_rules.h"

namespace detent::half {
namespace {

/// Elements of the input that go into one element of the output.
double summed(const FloatDraft& draft, const Node& node) {
  return std::max(
      1.0, static_cast<double>(draft.elements(node.input(0))) / static_cast<double>(draft.elements(node.output(0))));
}

double largest_sum(const FloatDraft& draft, const Node& node) {
  const ValueReach* input = draft.reach(node.input(0));
  const ValueReach* output = draft.reach(node.output(0));
  if (!input || !output || !node.domain.empty()) return 0;
  const std::string& op = node.op_type;
  if (op == "ReduceMean" || op == "ReduceSum" || op == "GlobalAveragePool" || op == "ReduceL1")
    return summed(draft, node) * input->mean_abs;
  if (op == "ReduceL2") return output->amax * output->amax;
  if (op == "ReduceLogSumExp") return summed(draft, node) * std::exp(std::min(input->amax, 700.0));
  return 0;
}

}  // namespace

void inner_sums(FloatDraft& draft) {
  for (const Node& node : draft.graph().nodes()) {
    const double sum = largest_sum(draft, node);
    if (sum * kHeadroom <= draft.format().largest) continue;
    draft.keep({node.id, "inner-sum", node.input(0), sum,
                fmt::format("its sum over '{}' reaches about {:.5g}, with headroom {} beyond {:.5g}",
                            draft.graph().value(node.input(0)).name, sum, kHeadroom, draft.format().largest)});
  }
}

}  // namespace detent::half
