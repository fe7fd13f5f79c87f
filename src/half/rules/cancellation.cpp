//   mean = ReduceMean(x)   d = x - mean           x about 1000, d about 1: FP16 holds x in steps of 0.5
//   v = ReduceMean(x * x) - mean * mean           1000001 - 1000000, and the same with BatchNormalization's sums
//
// A difference of nearly equal numbers has the rounding of both. Their makers stay FP32, through copies, reductions
// and squares; other readers of them need not. The measure is the power of the difference over the noise of rounding
// what is subtracted, in dB, with the limit of `rounding`. Elements that are 0 do not count: they are exact.
//
// ONNX defines MeanVarianceNormalization by E[x^2] - E[x]^2; engines that have no kernel compute just that.
// Source: ONNX MeanVarianceNormalization-13, function body.

#include <fmt/core.h>

#include <cmath>
#include <set>

#include "half/float_rules.h"
#include "ops/traits.h"

namespace detent::half {
namespace {

/// Returns the mean square of what rounding to the type adds to an operand. Codes of a pair are coarser than that.
double noise_of(const FloatDraft& draft, ValueId operand) {
  if (const Tensor* constant = draft.graph().constant(operand)) {
    if (constant->type() != DataType::Float32 || constant->element_count() == 0) return 0;
    return reach_of(*constant, draft.format()).noise / static_cast<double>(constant->element_count());
  }
  const ValueReach* reach = draft.reach(operand);
  const Node* maker = draft.graph().producer(operand);
  if (!reach || (maker && draft.kind(*maker) == OpKind::DequantizeLinear)) return 0;
  const RoundedPower power = power_of(*reach, draft.format());
  const double elements = power.elements + static_cast<double>(reach->zeros);
  return elements > 0 ? power.noise / elements : 0;
}

/// Returns what rounding the operands leaves of a sum or difference, in dB; infinite where nothing was measured.
double left_of(const FloatDraft& draft, const Node& node) {
  const ValueReach* result = draft.reach(node.output(0));
  const OpKind kind = draft.kind(node);
  if (!result || (kind != OpKind::Add && kind != OpKind::Sub) || node.inputs.size() != 2) return INFINITY;
  double noise = 0;
  for (const ValueId operand : present(node.inputs)) noise += noise_of(draft, operand);
  const RoundedPower power = power_of(*result, draft.format());
  if (power.elements == 0 || noise == 0) return INFINITY;
  return 10 * std::log10(power.signal / power.elements / noise);
}

/// True for a node whose output keeps the relative error of its input.
bool passes_error_on(const FloatDraft& draft, const Node& node) {
  switch (draft.kind(node)) {
    case OpKind::Relu:
    case OpKind::Clip:
    case OpKind::ReduceMean:
    case OpKind::ReduceSum:
    case OpKind::GlobalAveragePool:
    case OpKind::AveragePool:
    case OpKind::Pow: return true;
    case OpKind::Mul: return node.input(0) == node.input(1);
    default: return keeps_elements(traits_of(draft.graph(), node));
  }
}

/// Keeps the node that makes a value in FP32, and those before it whose rounding it would hold.
void keep_makers(FloatDraft& draft, MaybeValue value, const FloatException& why, std::set<NodeId>& seen) {
  for (const Node* maker = draft.graph().producer(value); maker && seen.insert(maker->id).second;
       maker = draft.graph().producer(maker->input(0))) {
    if (draft.kind(*maker) == OpKind::DequantizeLinear) return;
    FloatException exception = why;
    exception.node = maker->id;
    draft.keep(std::move(exception));
    if (!passes_error_on(draft, *maker)) return;
  }
}

}  // namespace

void cancellation(FloatDraft& draft) {
  for (const Node& node : draft.graph().nodes()) {
    if (node.domain.empty() && node.op_type == "MeanVarianceNormalization")
      draft.keep({node.id, "cancellation", kNoValue, 0, "ONNX defines it by E[x^2] - E[x]^2"});
    const double left = left_of(draft, node);
    if (left >= draft.format().least_db()) continue;
    const std::string& name = draft.graph().value(*node.output(0)).name;
    const FloatException why{
        node.id, "cancellation", node.output(0), left,
        fmt::format("rounding what '{}' is the difference of would leave {:.0f} dB of it", name, left)};
    draft.keep(why);
    std::set<NodeId> seen;
    for (const ValueId operand : present(node.inputs)) keep_makers(draft, operand, why, seen);
  }
}

}  // namespace detent::half
