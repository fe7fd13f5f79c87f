// A Conv, ConvTranspose, Gemm or MatMul with a constant weight reads a pair.
//
//   before:   x ---------> Conv --> y          after:   x --> Q --> DQ ---------------> Conv --> y
//             w (float) ---^                            w (int8, per channel) --> DQ ---^
//
// * Decides: a weighted op reads a pair on its data and gets a quantized weight. It gets no pair behind it: the next
//   reader asks for its pair. One value carries one pair, which all its quantized readers share.
// * Why: TensorRT then has an INT8 kernel, and writes INT8 from it if only INT8 layers read the value. Beside an
//   operator of another domain (a plugin) no pair may stand, so a layer that reads from one stays float.
// * Change it: `--format weights`, `--format weight-range`, `--format weight-bits`, `--format per-tensor=on`, `--format
//   bias` and `--cpu` change how the weight is written.
// * Source: TensorRT guide, placement recommendations; Model-Optimizer. Operators of other domains: the guide for INT8
//   plugins, else ours.
// * Networks: models/cifar10_resnet18.

#include "place/rules/rules.h"

namespace detent::rules {
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

constinit const Rule kWeightedOps{.name = {"R1", "weighted op"}, .decide = decide_weighted_ops};

}  // namespace detent::rules
