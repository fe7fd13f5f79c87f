// Values of a transformer that 8 bits would ruin stay float.
//
//   before:   x --> LayerNorm --> Q --> DQ --> MatMul           after:   x --> LayerNorm --> MatMul
//                    (8 bits keep 29 dB of it)
//
//   residual=quantize:   x --> Q/DQ --> Add --> LayerNorm     residual=float:   no Add of the stream reads a pair
//                          f(x) -> Q/DQ ---^
//
// calibrate/ruined_values.h has the thresholds. For TensorRT no other rule quantizes these Adds; for ONNX Runtime O4
// and O8 would.
//
// * Decides: in a transformer the Adds between normalizations stay float. A product (Gemm, MatMul) stays float too if
//   it reads a normalized value of which 8 bits keep less than 32 dB. This is the expected error of the best range,
//   from the value's histogram, so products need data or a table. The reason names the figure and the value's largest
//   number over its root mean square. For ONNX Runtime the Add of a table of positions stays float too, and an Add that
//   reads a Conv does not. Networks without a normalization over one axis (LayerNormalization, RMSNormalization, or
//   written out) have no residual stream.
// * Why: a few channels are much larger than the others. One scale loses the others, and every block reads the result.
//   A normal distribution keeps 40 dB. ONNX Runtime makes one float kernel of Add and LayerNormalization (Skip Layer
//   Normalization Fusion), and a pair between would part them. [Figures](../decisions/place.md#the-residual-stream).
// * Change it: `--policy residual=quantize` puts pairs on both inputs of these Adds and keeps no product float; `float`
//   keeps Adds float that R4, R8 or a Conv beside them would quantize. `--include` and `--override` of a value come
//   first. `--equalize norm,branch` evens the channels out, after which 8 bits ruin few values or none. For OpenVINO
//   `quantize` does so itself where a residual Add reads the value too and outputs lose at most 1 dB.
// * Source: [Model-Optimizer](https://github.com/NVIDIA/Model-Optimizer/tree/main/modelopt/onnx/quantization) quantizes
//   such Adds (ViT-B/16: 5 % correct instead of 85.2 %, and 84.5 % with the linear layers alone); LLM.int8() ([arXiv
//   2208.07339](https://arxiv.org/abs/2208.07339)) and SmoothQuant ([2211.10438](https://arxiv.org/abs/2211.10438)) for
//   the channels; [ONNX Runtime's
//   fusions](https://onnxruntime.ai/docs/performance/model-optimizations/graph-optimizations.html). The bound: ours,
//   measured.
// * Networks: models/chars_gpt.

#include "place/draft/residual_stream.h"

#include <algorithm>

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

using Residual = PlacementOptions::Residual;

// True for the output of a Conv, also behind copies, which a float reader would keep from being an integer kernel.
bool is_written_by_conv(const GraphFacts& facts, const PlacementDraft& draft, ValueId value) {
  const Node* node = facts.producer(value);
  while (node && commutes(facts, draft, node->id)) {
    const MaybeValue up = facts.data_input(node->id);
    node = facts.producer(up);
  }
  return node && facts.is_weighted(node->id) && facts.kind(node->id) == OpKind::Conv;
}

// True for an Add of a constant, such as a table of positions, that begins the stream; not for the bias of a product or
// a term of a normalization.
bool begins_stream(const GraphFacts& facts, const ResidualStream& stream, const Node& node) {
  if (facts.kind(node.id) != OpKind::Add || !is_constant_affine(facts, node.id)) return false;
  const MaybeValue varying = varying_input(facts, node.id);
  const Node* producer = facts.producer(varying);
  return stream.contains(node.output(0)) && !stream.contains(varying) && !(producer && facts.is_weighted(producer->id));
}

void keep_adds_float(const GraphFacts& facts, PlacementDraft& draft, const std::string& reason) {
  const ResidualStream stream = residual_stream(draft);
  std::vector<NodeId> adds = stream.adds;
  for (const Node& node : facts.graph().nodes())
    if (begins_stream(facts, stream, node)) adds.push_back(node.id);
  const bool asked = draft.options().residual == Residual::Float;
  for (const NodeId add : adds) {
    const Node& node = facts.node(add);
    const bool beside_conv = std::ranges::any_of(
        present(node.inputs), [&](ValueId value) { return is_written_by_conv(facts, draft, value); });
    if (!draft.is_forced(add) && !draft.is_out(add) && (asked || !beside_conv)) draft.keep_out(add, reason);
  }
}

void mark_residual_stream(const GraphFacts& facts, PlacementDraft& draft) {
  const Residual residual = draft.options().residual;
  if (residual == Residual::Quantize) return;
  for (const auto& [name, reason] : draft.measured().ruined) {
    const MaybeNode node = facts.graph().find_node(name);
    if (node && !draft.is_forced(*node) && !draft.is_out(*node)) draft.keep_out(*node, reason);
  }
  if (residual == Residual::Float)
    keep_adds_float(facts, draft, "Add of the residual stream (--policy residual=float)");
  else if (!facts.target().engine.fuses_residual_adds)
    keep_adds_float(
        facts, draft,
        "Add of the residual stream: normalizations and all later blocks read it (--policy residual=quantize)");
}

void decide_residual_stream(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.options().residual != Residual::Quantize) return;
  for (const NodeId add : residual_stream(draft).adds) {
    if (draft.is_out(add)) continue;
    const Node& node = facts.node(add);
    if (!facts.may_carry_pair(node.inputs[0]) || !facts.may_carry_pair(node.inputs[1])) continue;
    const std::string reason = "Add of the residual stream: both inputs are quantized (--policy residual=quantize)";
    for (const int slot : facts.data_slots(add)) draft.pair(add, slot, reason);
  }
}

}  // namespace

constinit const Rule kResidualStream{
    .name = {"R15", "residual stream"}, .mark = mark_residual_stream, .decide = decide_residual_stream, .of_run = true};

}  // namespace detent::rules
