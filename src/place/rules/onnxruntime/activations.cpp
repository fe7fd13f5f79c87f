//   before:   Conv --> Q/DQ --> LeakyRelu --> z              after:   Conv --> Q/DQ --> LeakyRelu --> Q/DQ --> z
//
//   SiLU:     Conv --> Q/DQ --+-----------------------> Mul --> Q/DQ
//                             +--> Sigmoid --> Q/DQ ----^
//
// LeakyRelu, Sigmoid and Softmax have integer kernels if pairs stand on both sides, of any scales. Other activations
// and LogSoftmax stay float; the pair before them keeps their Conv an integer kernel.
//
// Source: tried in ONNX Runtime 1.30, CPU. Motivated by models/shapes_unet and models/cifar10_efficientnet_b0.

#include "place/draft/decoding.h"
#include "place/draft/onnxruntime_pairs.h"
#include "place/rules/rules.h"

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

Rule activations() { return {.id = RuleId::OnnxRuntimeActivation, .visit = visit_activations}; }

}  // namespace detent::rules::onnxruntime
