// A layer has the pairs of which ONNX Runtime makes an integer kernel.
//
//   before:   x --> Conv --> Relu --> z             after:   x --> Q --> DQ --> Conv --> Relu --> Q --> DQ --> z
//   before:   x --> Pad --> Conv                    after:   x --> Q --> DQ --> Pad --> Conv
//   before:   x --> Gemm --> z                      after:   x --> Q --> DQ --> Gemm --> z
//
// The engine absorbs a Relu or Clip if the zero point behind it is 0. It merges a Pad of zeros on spatial axes into the
// Conv that alone reads it, if that writes out its padding; no Pad with axes, negative extents or other axes, and none
// in front of auto_pad: these stand in front of the Conv's pair.
//
// * Decides: a Conv has a pair on its input and on its output; a Relu or Clip(0, b) between is absorbed. A Gemm or
//   MatMul needs the pair on its input only. The constant that an Add puts behind a MatMul is its bias.
// * Why: the engine makes QLinearConv, QGemm or an integer MatMul of that. Float stay
//
//   - a Conv whose output can carry no pair: it is a graph output (R11), or a subgraph reads it, directly or behind a
//     copy (O8), or a Loop, a Scan or a sequence takes it, whose inputs carry no pairs;
//   - a Gemm with a bias that has alpha or beta and no constants which could be multiplied by them;
//   - a product whose output is a graph output without a pair, and is read through one, unless it has a bias and more
//     than two axes;
//   - a MatMul with the constant on the left, which the engine takes as UINT8 alone;
//   - GRU and RNN, and each LSTM without scales at run time (O14), which the plan's notes name.
//
//   A product in front of a Relu or Clip has a pair behind the two, or between them; without it the engine keeps the
//   product float. A Clip whose lower bound is not 0 has a pair in front of it where the engine would make an integer
//   kernel of what it reads. The engine compares a Clip with the pair behind it twice: in codes to choose the kernel,
//   and in real numbers to remove it. If only the first fits, it calls the model invalid (`refused-activation`);
//   rounding the zero point makes such ranges.
// * Change it: `--policy quantize-outputs=on` closes a last Conv. `--format bias=float|int32`: a Gemm with a float bias
//   and no pair behind it stays float.
// * Source: tried at opset 13 to 23.
// * Networks: models/cifar10_resnet18, models/imagenet_mobilenetv2.

#include <algorithm>

#include "ops/merged_pad.h"
#include "ops/traits.h"
#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

// Returns the Pad that QLinearConv includes.
const Node* foldable_pad(const GraphFacts& facts, const PlacementDraft& draft, const Node& conv) {
  const Node* pad = merged_pad(facts.graph(), conv);
  return pad && commutes(facts, draft, pad->id) ? pad : nullptr;
}

void pair_conv_input(PlacementDraft& draft, const Node& conv) {
  if (const Node* pad = foldable_pad(draft.facts(), draft, conv)) {
    draft.pair(pad->id, 0, "Pad and Conv become one integer kernel");
    draft.keep_float(conv.id, 0, "no pair between Pad and Conv: the Conv includes the padding");
    return;
  }
  draft.pair(conv.id, 0, "an integer Conv reads a pair");
}

void place_conv(const GraphFacts& facts, PlacementDraft& draft, const Node& conv) {
  const MaybeValue own = conv.output(0), last = absorbed_output(facts, draft, own, Absorbs::ReluAndClip);
  const std::string obstacle = obstacle_to_closing(facts, draft, last);
  if (!obstacle.empty()) return draft.run_float(conv.id, "an integer Conv needs a pair on its output, but " + obstacle);
  pair_conv_input(draft, conv);
  if (last != own) {
    const NodeId activation = facts.value(*own).uses.front().node;
    draft.keep_float(activation, 0,
                     "absorbed by " + facts.describe(conv.id) + "; a pair between would keep both float");
  }
  close_with_pair(draft, last,
                  "an integer Conv needs the pair behind it" +
                      std::string(last == own ? "" : " and behind the activation that it absorbs"));
  draft.run_int8(conv.id, "pairs on input and output: QLinearConv");
}

bool scales_operands(const Node& gemm) {
  return gemm.float_or("alpha", 1.0F) != 1.0F || gemm.float_or("beta", 1.0F) != 1.0F;
}

// Returns the constant added behind a MatMul. ONNX Runtime merges the two into one Gemm before it looks for pairs, if
// the Add adds one number a column, or another one in each row of a matrix. A Gemm with a float bias stays float. No
// node: there is none.
std::optional<Use> bias_behind(const GraphFacts& facts, const Node& product) {
  if (facts.kind(product.id) != OpKind::MatMul) return std::nullopt;
  const auto use = sole_use(facts.graph(), product.output(0));
  if (!use || facts.kind(use->node) != OpKind::Add || !is_constant_affine(facts, use->node)) return std::nullopt;
  const int slot = 1 - use->slot;
  const Tensor* bias = facts.graph().constant(facts.node(use->node).input(slot));
  const Shape& weight = facts.weight(product.id).shape();
  if (!bias || weight.rank() != 2 || bias->shape().rank() < 1 || bias->shape().rank() > 2) return std::nullopt;
  const int64_t columns = bias->shape()[bias->shape().rank() - 1];
  if (columns != weight[1] && (columns != 1 || bias->shape().rank() != 2)) return std::nullopt;
  return Use{use->node, slot};
}

bool is_cut(const GraphFacts& facts, NodeId node) {
  return facts.kind(node) == OpKind::Relu || facts.kind(node) == OpKind::Clip;
}

// Returns the value that needs a pair behind a product before a Relu or Clip; kNoValue when none is needed. The engine
// looks through an activation that is the only reader for a pair that absorbs it; without one the product stays float.
// A Relu among other readers vanishes before its pair, which then stands on the product.
MaybeValue closed_output(const GraphFacts& facts, const PlacementDraft& draft, ValueId own) {
  const Value& value = facts.value(own);
  const auto cuts = [&](const Use& use) { return use.slot == 0 && is_cut(facts, use.node); };
  if (std::ranges::none_of(value.uses, cuts)) return kNoValue;
  if (value.is_output || value.uses.size() > 1) return own;
  const ValueId last = *facts.node(value.uses.front().node).output(0);
  const Value& cut = facts.value(last);
  if (cut.is_output || cut.uses.size() > 1) return kNoValue;
  const bool absorbed = absorbed_output(facts, draft, own, Absorbs::ReluAndClip) == last;
  return absorbed && obstacle_to_closing(facts, draft, last).empty() ? last : own;
}

void place_product(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  if (facts.kind(node.id) == OpKind::Gemm && node.input(2) && scales_operands(node))
    return draft.run_float(node.id, "an integer Gemm with bias needs alpha = beta = 1");
  if (facts.weight_slot(node.id) == 0)
    return draft.run_float(node.id, "ONNX Runtime has no integer MatMul with an INT8 constant on the left");
  const std::optional<Use> bias = bias_behind(facts, node);
  const ValueId own = *(bias ? facts.node(bias->node) : node).output(0);
  const MaybeValue closed = closed_output(facts, draft, own);
  const std::string needed = "an integer " + node.op_type + " before a Relu or Clip needs ";
  if (closed)
    if (const std::string obstacle = obstacle_to_closing(facts, draft, closed); !obstacle.empty())
      return draft.run_float(node.id, needed + "a pair behind it, but " + obstacle);
  draft.pair(node.id, facts.data_slots(node.id).front(), "an integer " + node.op_type + " reads a pair");
  draft.run_int8(node.id, "pair on the input and INT8 weight");
  if (bias) {
    draft.set_bias(node.id, *bias);
    draft.keep_float(bias->node, bias->slot, "bias of " + facts.describe(node.id) + ", written as INT32");
  }
  if (closed) {
    if (closed != own)
      draft.keep_float(facts.value(own).uses.front().node, 0, "absorbed by " + facts.describe(node.id));
    close_with_pair(draft, closed, needed + "the pair behind it");
  }
  if (facts.value(*node.output(0)).is_output)
    close_with_pair(draft, node.output(0),
                    "an integer " + node.op_type + " writes this graph output (--policy quantize-outputs=on)");
}

// Names a recurrent layer that stays float, and says why.
void place_recurrent(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  const std::string reason = recurrent_obstacle(facts, draft, node);
  draft.run_float(node.id, reason);
  draft.note(facts.describe(node.id) + " stays float: " + reason);
}

void decide_layers(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (draft.is_out(node.id)) continue;
    if (is_recurrent(node)) place_recurrent(facts, draft, node);
    const OpKind kind = facts.kind(node.id);
    if (facts.is_weighted(node.id) && kind == OpKind::Conv) place_conv(facts, draft, node);
    if (facts.is_weighted(node.id) && (kind == OpKind::Gemm || kind == OpKind::MatMul))
      place_product(facts, draft, node);
    if (!facts.is_weighted(node.id) && kind == OpKind::MatMul) place_activation_product(draft, node);
  }
}

// True for a product that the engine makes a Gemm between Reshapes: it writes floats to the second one, whatever reads
// them.
bool is_reshaped(const GraphFacts& facts, const Node& product) {
  return bias_behind(facts, product) && facts.find_rank(facts.data_input(product.id)).value_or(0) > 2;
}

// Keeps products float whose output is a graph output without a pair and is read through one.
void share_layers(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.options().quantize_outputs) return;  // all graph outputs get pairs
  for (const Node& node : facts.graph().nodes()) {
    const OpKind kind = facts.kind(node.id);
    if (!draft.is_int8(node.id) || draft.is_out(node.id) || !facts.is_weighted(node.id)) continue;
    if ((kind != OpKind::Gemm && kind != OpKind::MatMul) || is_reshaped(facts, node)) continue;
    const std::optional<Use> bias = bias_behind(facts, node);
    const Value& own = facts.value(*(bias ? facts.node(bias->node) : node).output(0));
    const bool paired =
        std::ranges::any_of(own.uses, [&](const Use& use) { return draft.is_pair(use.node, use.slot); });
    if (!own.is_output || draft.has_output_pair(own.id) || !paired) continue;
    const std::string reason = "its output '" + own.name + "' is a graph output without a pair and is read through one";
    draft.replace_with_float(node.id, facts.data_slots(node.id).front(), reason);
    draft.replace_with_float_layer(node.id, reason);
  }
}

}  // namespace

constinit const Rule kLayers{
    .name = {"O1", "integer layer"}, .decide = decide_layers, .share = share_layers, .moves_pairs_up = true};

}  // namespace detent::rules::onnxruntime
