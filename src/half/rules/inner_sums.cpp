// Estimates of the largest partial sum inside an operator, which may exceed its output.
//
//   ReduceMean, GlobalAveragePool       elements * mean |x|
//   ReduceSum, ReduceL1, ReduceLogSum   the same; the output may be small where signs cancel
//   ReduceSumSquare, ReduceL2           the sum of squares: for ReduceL2 its output squared
//   ReduceLogSumExp                     elements * exp(largest x)
//   AveragePool                         elements of the window * the larger of mean |x| and the largest output
//   LpPool, GlobalLpPool                the output to the power p
//   Mean, Sum of three or more          the largest |x| of each input, added
//   LpNormalization                     along its axis: elements * mean of |x|^p, or the largest |x|^p if that is more
//   LRN                                 the same with squares, over its channels
//   InstanceNormalization               the same with squares, over the elements of a channel
//
// LayerNormalization, RMSNormalization and GroupNormalization are left out: ONNX lets them compute in FP32
// (stash_type = 1), and TensorRT does by default. Source: ONNX LayerNormalization-17; NvInfer.h,
// INormalizationLayer::setComputePrecision.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "half/float_rules.h"

namespace detent::half {
namespace {

/// Returns how many elements of the input are summed into one element of the output.
double summed(const FloatDraft& draft, const Node& node) {
  return std::max(
      1.0, static_cast<double>(draft.elements(node.input(0))) / static_cast<double>(draft.elements(node.output(0))));
}

/// Returns the number of elements along these axes, as declared; all elements of a sample where an extent is open.
double along(const FloatDraft& draft, ValueId value, const std::vector<int64_t>& axes) {
  const auto& shape = draft.graph().value(value).declared_shape;
  const double all = static_cast<double>(draft.elements(value));
  double product = 1;
  for (const int64_t axis : axes) {
    const int64_t rank = shape ? static_cast<int64_t>(shape->size()) : 0;
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank || (*shape)[static_cast<size_t>(at)] < 0) return all;
    product *= static_cast<double>((*shape)[static_cast<size_t>(at)]);
  }
  return std::min(product, std::max(all, 1.0));
}

/// Returns the mean of |x|^p over all samples. Elements of a binade 2^(e-1) <= |x| < 2^e count as its mean, 0.75 * 2^e.
double mean_power(const ValueReach& reach, double p) {
  double sum = 0, count = static_cast<double>(reach.zeros);
  for (size_t i = 0; i < reach.counts.size(); ++i) {
    const auto elements = static_cast<double>(reach.counts[i]);
    count += elements;
    if (elements > 0) sum += elements * std::pow(0.75 * std::ldexp(1.0, ValueReach::kLowest + static_cast<int>(i)), p);
  }
  return count > 0 ? sum / count : 0;
}

/// Returns the estimate of a sum of `elements` powers, at least that of the largest element, which is in some sum.
double sum_of_powers(const ValueReach& reach, double elements, double p) {
  return std::max(std::pow(reach.amax, p), elements * mean_power(reach, p));
}

double sum_of_inputs(const FloatDraft& draft, const Node& node) {
  double sum = 0;
  for (const ValueId input : present(node.inputs))
    if (const ValueReach* reach = draft.reach(input)) sum += reach->amax;
  return sum;
}

double window(const Node& node) {
  double product = 1;
  for (const int64_t extent : node.ints_or("kernel_shape", {})) product *= static_cast<double>(extent);
  return product;
}

double largest_sum(const FloatDraft& draft, const Node& node) {
  const ValueReach* input = draft.reach(node.input(0));
  const ValueReach* output = draft.reach(node.output(0));
  if (!input || !output || !node.domain.empty()) return 0;
  const std::string& op = node.op_type;
  const auto p = static_cast<double>(node.int_or("p", 2));
  if (op == "ReduceMean" || op == "ReduceSum" || op == "GlobalAveragePool" || op == "ReduceL1" || op == "ReduceLogSum")
    return summed(draft, node) * input->mean_abs;
  if (op == "ReduceL2") return output->amax * output->amax;
  if (op == "ReduceLogSumExp") return summed(draft, node) * std::exp(std::min(input->amax, 700.0));
  if (op == "AveragePool") return window(node) * std::max(input->mean_abs, output->amax);
  if (op == "LpPool" || op == "GlobalLpPool") return std::pow(output->amax, p);
  if (op == "Mean" || (op == "Sum" && node.inputs.size() > 2)) return sum_of_inputs(draft, node);
  if (op == "LpNormalization") return sum_of_powers(*input, along(draft, *node.input(0), {node.int_or("axis", -1)}), p);
  if (op == "InstanceNormalization")
    return sum_of_powers(*input, static_cast<double>(draft.elements(*node.input(0)) / draft.elements(*node.input(1))),
                         2);
  if (op == "LRN") return sum_of_powers(*input, static_cast<double>(node.int_or("size", 1)), 2);
  return 0;
}

}  // namespace

void inner_sums(FloatDraft& draft) {
  for (const Node& node : draft.graph().nodes()) {
    const double sum = largest_sum(draft, node);
    if (sum * kHeadroom <= draft.format().largest) continue;
    draft.keep({node.id, "inner-sum", node.input(0), sum,
                fmt::format("its sum over '{}' {} {:.5g}, with headroom {} beyond {:.5g}",
                            draft.graph().value(*node.input(0)).name,
                            is_bound(*draft.reach(node.input(0))) ? "may reach" : "reaches about", sum, kHeadroom,
                            draft.format().largest)});
  }
}

}  // namespace detent::half
