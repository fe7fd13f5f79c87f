//   before:   x ---------> Conv --> y          after:   x --> Q --> DQ ---------------> Conv --> y
//             w (float) ---^                            w (int8, per channel) --> DQ ---^
//
// Conv, ConvTranspose, Gemm and MatMul with a constant operand read a pair and a quantized weight; no pair behind them:
// the next quantized reader has one, and TensorRT writes INT8 from the kernel if only INT8 readers exist.
//
// Source: TensorRT developer guide, "Explicit Quantization", Q/DQ placement recommendations; NVIDIA Model-Optimizer,
// modelopt/onnx/quantization. "No pair next to operators of other domains": the guide for INT8 plugins, otherwise our
// policy. Motivated by models/cifar10_resnet18.

#include "place/rules/rules.h"

namespace detent::rules::tensorrt {
namespace {

void decide_weighted_ops(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || draft.is_out(node.id)) continue;
    const int slot = facts.data_slots(node.id).front();
    const MaybeValue input = facts.data_input(node.id);
    if (!facts.may_carry_pair(input)) {
      const std::string reason = "its input comes from " + facts.describe_source(*input) +
                                 ", an operator of another domain, next to which no pair may stand";
      draft.keep_float(node.id, slot, reason);
      draft.run_float(node.id, reason);
      continue;
    }
    draft.pair(node.id, slot, "weighted ops read quantized data; one pair per value, shared by its quantized readers");
    draft.run_int8(node.id, "quantized input and weight");
  }
}

}  // namespace

Rule weighted_ops() { return {.id = RuleId::WeightedOp, .decide = decide_weighted_ops}; }

}  // namespace detent::rules::tensorrt
