// Every float value carries a pair, graph inputs and outputs too.
//
//   before:   x --> Conv --> Relu --> Add --> y           after:   x --> Q/DQ --> Conv --> Relu --> Q/DQ --> Add
//             c ----------------------^                            c --> Q/DQ ---------------------------^
//                                                                  Add --> Q/DQ --> y
//
// The range behind a Relu begins at 0, which makes the Relu part of the unit before it. Signed codes do not begin
// there.
//
// * Decides: pairs stand on every float value: data, constants, graph inputs and outputs. Layers have quantized weights
//   and INT32 biases, MatMul with one scale. A Relu, or a Clip from 0 on, that alone reads a value gets no pair before
//   it, unless codes are signed or a copy (H2) writes the value. Cast and Shape read the pair of a value that has one.
//   LSTM and GRU have a pair on every input, weights, bias and states too, with codes of the type of activations and
//   one scale.
// * Why: HTP runs no floats. A node goes there if every input comes from a DequantizeLinear and every output goes to a
//   QuantizeLinear. An activation that the range of the pair behind it makes redundant is part of the unit.
// * Change it: `--exclude` leaves a node float, which splits the graph.
// * Source: onnxruntime, core/optimizer/qdq_transformer/selectors_actions/shared/utils.cc and qdq_selectors.cc;
//   core/providers/qnn/builder/opbuilder/lstm_op_builder.cc; onnxruntime-qnn, gru_op_builder.cc and release notes of
//   2.4.0.
// * Networks: models/cifar10_resnet18, exports/mobilenetv3_small, exports/lstm_mini.

#include <algorithm>

#include "ops/traits.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"

namespace detent::rules::qnn {
namespace {

constexpr const char* kInUnit = "HTP runs a node whose inputs and outputs all carry pairs";

// True for the activation that the unit of the node before it includes.
bool is_absorbed(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  const MaybeValue input = node.input(0);
  const Node* before = facts.producer(input);
  if (!before || draft.options().int8_activations || draft.options().int16_activations) return false;
  if (before->outputs.size() != 1 || !is_unit(facts, draft, *before) || has_one_encoding(draft, before->id))
    return false;
  return absorbed_output(facts, draft, input, Absorbs::ReluAndClip) == node.output(0) &&
         absorbed_output(facts, draft, before->input(0), Absorbs::ReluAndClip) != input;
}

// True where ONNX Runtime would move the value's pair across copies into a graph inside a node, and abort (O6).
bool is_moved_into_subgraph(const GraphFacts& facts, ValueId value) {
  return std::ranges::any_of(facts.value(value).uses, [&](const Use& use) {
    return use.slot >= 0 && facts.moves_pairs_into_subgraph(use.node);
  });
}

void pair_inputs(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  for (const int slot : facts.data_slots(node.id)) {
    const ValueId input = *node.input(slot);
    if (facts.is_constant(input) && !facts.graph().constant(input)) continue;
    if (is_moved_into_subgraph(facts, input)) {
      draft.keep_float(node.id, slot, "ONNX Runtime would move the pair into a graph inside a node, and abort");
      continue;
    }
    draft.pair(node.id, slot, kInUnit);
    draft.fix_range_of_constant(input);
  }
}

// Closes a unit behind which only Casts and Shapes stand.
void close_for_casts(const GraphFacts& facts, PlacementDraft& draft, ValueId output) {
  const auto& uses = facts.value(output).uses;
  if (uses.empty() ||
      std::ranges::any_of(uses, [&](const Use& use) { return use.slot < 0 || !reads_beside_units(facts, use.node); }))
    return;
  for (const Use& use : uses) draft.pair(use.node, use.slot, kInUnit);
}

void decide_units(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!is_unit(facts, draft, node)) continue;
    if (is_absorbed(facts, draft, node))
      draft.keep_float(node.id, 0, "part of the unit of " + facts.describe(facts.producer(node.input(0))->id));
    else
      pair_inputs(facts, draft, node);
    for (const ValueId output : present(node.outputs)) {
      if (facts.value(output).is_output) draft.pair_output(output, kInUnit);
      close_for_casts(facts, draft, output);
    }
    if (facts.is_weighted(node.id) || is_recurrent(node)) draft.run_int8(node.id, "pairs on every input and output");
  }
}

// Has a Cast or a Shape read the pair of a value that has one: a float reader would part the unit from its
// QuantizeLinear.
void share_with_casts(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    for (const int slot : facts.data_slots(node.id))
      if (!draft.is_out(node.id) && reads_beside_units(facts, node.id) && draft.has_pair(node.input(slot)))
        draft.replace_with_pair(node.id, slot, "the value carries a pair, which every reader reads");
}

}  // namespace

constinit const Rule kNodeUnits{.name = {"H1", "node unit"}, .decide = decide_units, .share = share_with_casts};

}  // namespace detent::rules::qnn
