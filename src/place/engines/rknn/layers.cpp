// Every node that the NPU runs reads and writes codes, graph outputs too.
//
//   before:   x --> Conv --> Relu --> Add --> y           after:   x --> Q/DQ --> Conv --> Relu --> Q/DQ --> Add
//             z ----------------------^                            z --> Q/DQ ---------------------------^
//                                                                  Add --> Q/DQ --> y
//
// * Decides: pairs stand in front of and behind every node that the NPU runs in INT8, constants of arithmetic included.
//   A Relu, or a Clip from 0 on, that alone reads a value gets no pair before it, unless codes are signed or a copy
//   (K2) writes the value. Nodes behind the last layer that decode boxes stay float (R18), as do LSTM, GRU and RNN. In
//   attention the values from the product of queries and keys up to the Softmax stay float, with a mask also what the
//   second product reads of it; a form adds a mask of zeros where there is none. A MatMul or Gemm of rows that are a
//   graph input stays float, a cubic Resize, beside a ScatterND what a Slice reads of a Concat, and the activation of a
//   layer that stays float.
// * Why: the compiler keeps the scales of pairs. A value without one is FP16: a layer that writes it runs in FP16, and
//   a GlobalAveragePool in floats between INT8 values is refused ("Invalid w_par['dtype'] = float16"). With pairs on
//   both sides of the Softmax between two products the compiler ends without a word, or with a KeyError. Its optimizer
//   swaps a Transpose and a Reshape without end where a product reads the pair of a graph input with fewer than four
//   axes. It does not fold constants of a cubic Resize between codes ("Tensor type mismatch"). It makes Split and
//   Concat of ScatterND, and then loses the codes of a Concat that a Slice reads, too ("Invalid w_par['dtype']").
// * Change it: `--exclude` leaves a node float, which the NPU runs in FP16.
// * Source: rknn-toolkit2 2.5.0, its compiler and simulator for rk3588, asked in November 2026.
// * Networks: models/imagenet_mobilenetv2, models/shapes_unet.

#include <algorithm>

#include "ops/traits.h"
#include "place/draft/flow.h"
#include "place/draft/written_activation.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/qnn/qnn_units.h"
#include "place/engines/rknn/npu_nodes.h"
#include "place/engines/rknn/rules.h"

namespace detent::rules::rknn {
namespace {

constexpr const char* kInt8 = "the NPU runs a node in INT8 whose inputs and outputs all carry pairs";

// True for the activation that runs in the layer before it.
bool is_absorbed(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  const MaybeValue input = node.input(0);
  const Node* before = facts.producer(input);
  if (!before || draft.options().int8_activations) return false;
  if (before->outputs.size() != 1 || !runs_on_npu(facts, draft, *before) || has_one_encoding(draft, before->id))
    return false;
  return absorbed_output(facts, draft, input, Absorbs::ReluAndClip) == node.output(0) &&
         absorbed_output(facts, draft, before->input(0), Absorbs::ReluAndClip) != input;
}

void pair_inputs(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  for (const int slot : facts.data_slots(node.id)) {
    const ValueId input = *node.input(slot);
    if (facts.is_constant(input) && !facts.graph().constant(input)) continue;
    draft.pair(node.id, slot, kInt8);
    draft.fix_range_of_constant(input);
  }
}

// True for a product of rows that are a graph input. One row, and images, are no obstacle.
bool multiplies_input_rows(const GraphFacts& facts, const Node& node) {
  constexpr size_t kImage = 4, kMatrix = 2;
  if (facts.kind(node.id) != OpKind::MatMul && facts.kind(node.id) != OpKind::Gemm) return false;
  const MaybeValue input = facts.data_input(node.id);
  if (!input || !facts.value(*input).is_input || !facts.value(*input).declared_shape) return false;
  const auto& shape = *facts.value(*input).declared_shape;
  return shape.size() < kImage && shape.size() >= kMatrix && (shape.size() > kMatrix || shape.front() != 1);
}

// Between floats the compiler computes a layer and its activation as one operator; codes would part them.
void keep_activation_float(const GraphFacts& facts, PlacementDraft& draft, const Node& layer) {
  const MaybeNode last = fused_activation(facts, draft, layer.output(0));
  if (!last) return;
  const auto gated = gated_activation(facts, *last);
  for (const NodeId node : gated ? gated->nodes : std::vector<NodeId>{*last})
    if (!draft.is_forced(node)) draft.keep_out(node, "activation of " + facts.describe(layer.id) + ", which is float");
}

void mark_float_nodes(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (draft.is_forced(node.id)) continue;
    if (multiplies_input_rows(facts, node))
      draft.keep_out(node.id, "rknn-toolkit2 does not end where a product reads the pair of a graph input");
    else if (facts.kind(node.id) == OpKind::Resize && node.string_or("mode", "nearest") == "cubic")
      draft.keep_out(node.id, "rknn-toolkit2 builds no cubic Resize between codes");
  }
  for (const Node& node : facts.graph().nodes())
    if (facts.is_weighted(node.id) && draft.is_out(node.id)) keep_activation_float(facts, draft, node);
}

// The Softmax and the nodes between it and a product of two activations; none where there is no such product.
struct Scores {
  std::vector<NodeId> nodes;
  bool masked = false;
};

Scores attention_scores(const GraphFacts& facts, const PlacementDraft& draft, const Node& softmax) {
  constexpr size_t kMostNodes = 16;  // scale, mask and copies
  std::vector<NodeId> passed{softmax.id};
  bool found = false, masked = false;
  for (size_t next = 0; next < passed.size() && passed.size() < kMostNodes; ++next) {
    const Node& node = facts.node(passed[next]);
    for (const int slot : facts.data_slots(node.id)) {
      const Node* before = facts.producer(node.input(slot));
      if (!before) continue;
      const OpKind kind = facts.kind(before->id);
      if (kind == OpKind::MatMul && !facts.is_weighted(before->id))
        found = true;
      else if (is_arithmetic(kind) || kind == OpKind::Where || commutes(facts, draft, before->id))
        passed.push_back(before->id);
      masked = masked || kind == OpKind::Add;
    }
  }
  return found ? Scores{std::move(passed), masked} : Scores();
}

// The compiler joins what is float between the products, and the products, in one operator (exSDPAttention).
void keep_shares_float(const GraphFacts& facts, PlacementDraft& draft, const Node& softmax) {
  for (const Use& use : facts.value(*softmax.output(0)).uses)
    if (facts.kind(use.node) == OpKind::MatMul && !facts.is_weighted(use.node))
      draft.keep_float(use.node, use.slot, "attention with a mask, which the NPU computes as one operator in floats");
}

// Streams write what they keep with ScatterND, and take it with a Slice from what a Concat joins.
void keep_slices_float(const GraphFacts& facts, PlacementDraft& draft) {
  const bool scatters = std::ranges::any_of(
      facts.graph().nodes(), [](const Node& node) { return node.op_type == "ScatterND" && node.domain.empty(); });
  if (!scatters) return;
  for (const Node& node : facts.graph().nodes()) {
    const Node* before = node.op_type == "Slice" && !draft.is_out(node.id) ? facts.producer(node.input(0)) : nullptr;
    if (before && facts.kind(before->id) == OpKind::Concat)
      draft.keep_float(node.id, 0, "rknn-toolkit2 builds no Slice of a Concat's codes beside a ScatterND");
  }
}

void keep_scores_float(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) != OpKind::Softmax || draft.is_out(node.id)) continue;
    const Scores scores = attention_scores(facts, draft, node);
    for (const NodeId score : scores.nodes)
      for (const int slot : facts.data_slots(score))
        draft.keep_float(score, slot, "scores of attention: rknn-toolkit2 builds no INT8 Softmax between products");
    if (scores.masked && node.output(0)) keep_shares_float(facts, draft, node);
  }
}

// Has readers that no rule put a pair in front of read the pair that closes a node.
void close(const GraphFacts& facts, PlacementDraft& draft, ValueId output) {
  if (facts.value(output).is_output) draft.pair_output(output, kInt8);
  for (const Use& use : facts.value(output).uses)
    if (use.slot >= 0 && !runs_on_npu(facts, draft, facts.node(use.node)) && !draft.is_out(use.node))
      draft.pair(use.node, use.slot, kInt8);
}

void decide_layers(const GraphFacts& facts, PlacementDraft& draft) {
  keep_scores_float(facts, draft);
  keep_slices_float(facts, draft);
  for (const Node& node : facts.graph().nodes()) {
    if (!runs_on_npu(facts, draft, node)) continue;
    if (is_absorbed(facts, draft, node))
      draft.keep_float(node.id, 0, "computes inside " + facts.describe(facts.producer(node.input(0))->id));
    else
      pair_inputs(facts, draft, node);
    for (const ValueId output : present(node.outputs)) close(facts, draft, output);
    if (facts.is_weighted(node.id)) draft.run_int8(node.id, "pairs on every input and output");
  }
}

}  // namespace

constinit const Rule kLayers{.name = {"K1", "NPU layer"}, .mark = mark_float_nodes, .decide = decide_layers};

}  // namespace detent::rules::rknn
