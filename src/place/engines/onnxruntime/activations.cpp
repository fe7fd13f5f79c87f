// LeakyRelu, Sigmoid and Softmax have pairs on both sides.
//
//   before:   Conv --> Q/DQ --> LeakyRelu --> z              after:   Conv --> Q/DQ --> LeakyRelu --> Q/DQ --> z
//
//   SiLU:     Conv --> Q/DQ --+-----------------------> Mul --> Q/DQ
//                             +--> Sigmoid --> Q/DQ ----^
//
// The pair in front of another activation keeps the Conv before it an integer kernel.
//
// * Decides: LeakyRelu, Sigmoid and Softmax have pairs on both sides, of any scales.
// * Why: they have integer kernels; other activations and LogSoftmax have none and stay float.
// * Change it: no option.
// * Source: tried; QLinearSoftmax is new in the engine's table of such operators.
// * Networks: models/shapes_unet, models/cifar10_efficientnet_b0.

#include "place/draft/decoding.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

void visit_activations(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  const OpKind kind = facts.kind(node.id);
  const bool has_kernel = kind == OpKind::LeakyRelu || kind == OpKind::Sigmoid || kind == OpKind::Softmax;
  if (!has_kernel || draft.is_out(node.id)) return;
  if (draft.has_pair(node.input(0)) && !is_decoding(draft, node.id))
    close_with_pair(draft, node.output(0), "an integer " + node.op_type + " has pairs on both sides");
}

}  // namespace

constinit const Rule kActivations{.name = {"O3", "integer activation"}, .visit = visit_activations};

}  // namespace detent::rules::onnxruntime
