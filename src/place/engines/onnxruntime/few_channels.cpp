// A Conv with few channels stays float: its float kernel is faster.
//
//   before:   image --> Q --> DQ --> Conv(3 -> 32) --> Q --> DQ        after:   image --> Conv(3 -> 32) --> Q --> DQ
//
// A matrix of 8 columns or fewer fills at most half of the integer kernel's columns. Larger Convs gain too little to
// pay for the QuantizeLinear behind them, whose cost grows with the output channels. Behind an integer kernel the
// DequantizeLinear would cost what the float kernel gains, and with pairs on both sides the engine makes an integer
// kernel of the Conv.
//
// * Decides: a Conv in two dimensions that reads floats stays float if it fits one of two descriptions:
//
//   - at most 8 input and 8 output channels;
//   - at most 3 input channels, one group, windows that overlap, at most 32 output channels, and at most 2400
//     multiplications an output pixel.
//
//   Floats come from a graph input, a normalization, a ConvTranspose or another such Conv, also behind activations, Pad
//   and copies. A Conv in front of a MaxPool gets pairs, also where nodes that compute element by element stand
//   between: PRelu, Elu, HardSwish of several nodes, a residual Add.
// * Why: the integer kernel first copies every window into a row of a matrix, as many bytes at a time as there are
//   input channels. It takes 1.4 to 10 times as long as the float kernel, which reads the image in place (0.9 to 7
//   times with 8 channels and fewer). The engine moves a QuantizeLinear across a MaxPool, and its MaxPool of codes made
//   models/imagenet_squeezenet1.1 1.8 to 2.4 times slower. Behind a PRelu four Convs, three of them pooled, took 1.95
//   times the float time, and take 0.85; 4.0 and 0.7 behind Tanh. SQNR gains too: 0.2 to 5.9 dB on seven networks with
//   the defaults. cifar10_resnet18 gains 0.4 dB with `mse`; there `auto` takes another calibrator and loses 1.6 dB.
// * Change it: `--policy small-layers=quantize` turns the rule off; `--include NODE`.
// * Source: timed in ONNX Runtime 1.30 with VNNI, with AVX-512 alone and with AVX2 alone, windows in two dimensions:
//   [bench/README.md](../../bench/README.md#is-the-file-for-onnx-runtime-faster). Activations in front of a MaxPool:
//   1.32 with AVX2 alone.
// * Networks: models/imagenet_mobilenetv2, models/text_ppocrv3_det, models/style_starry_night,
//   models/imagenet_squeezenet1.1 (MaxPool).

#include <set>
#include <vector>

#include "place/draft/flow.h"
#include "place/draft/written_activation.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

constexpr int64_t kFewInputs = 3, kMostOutputs = 32, kMostProducts = 2400;
constexpr int64_t kFewOfBoth = 8;

bool has_few_channels(const GraphFacts& facts, const Node& conv) {
  const Shape& weight = facts.weight(conv.id).shape();
  // FP16 layers run in float anyway (O9).
  if (weight.rank() != 4 || facts.weight(conv.id).type() != DataType::Float32) return false;
  const int64_t group = conv.int_or("group", 1);
  const int64_t outputs = weight[0], inputs = weight[1] * group;
  if (inputs <= kFewOfBoth && outputs <= kFewOfBoth) return true;
  const std::vector<int64_t> strides = conv.ints_or("strides", {1, 1});
  const bool overlap = strides.size() == 2 && strides[0] < weight[2] && strides[1] < weight[3];
  return group == 1 && inputs <= kFewInputs && outputs <= kMostOutputs && overlap &&
         inputs * weight[2] * weight[3] * outputs <= kMostProducts;
}

// Returns the input that the node passes on in float if it is float; kNoValue for other nodes.
MaybeValue handed_on(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  if (is_constant_affine(facts, node.id)) return varying_input(facts, node.id);
  const OpKind kind = facts.kind(node.id);
  if (const auto written = written_activation(facts, node.id)) return written->input;
  const bool hands_on = is_activation(kind) || kind == OpKind::PRelu || kind == OpKind::Pad || kind == OpKind::Cast ||
                        kind == OpKind::Resize || kind == OpKind::BatchNorm || commutes(facts, draft, node.id);
  return hands_on ? facts.data_input(node.id) : kNoValue;
}

bool writes_float(const PlacementDraft& draft, const Node& node) {
  switch (draft.facts().kind(node.id)) {
    case OpKind::ConvTranspose:
    case OpKind::InstanceNorm:
    case OpKind::GroupNorm:
    case OpKind::LayerNorm: return true;
    default: return draft.facts().is_weighted(node.id) && draft.is_out(node.id);
  }
}

bool comes_in_float(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value) {
  while (value) {
    if (facts.value(*value).is_input) return true;
    const Node* producer = facts.producer(value);
    if (!producer) return false;
    if (writes_float(draft, *producer)) return true;
    value = handed_on(facts, draft, *producer);
  }
  return false;
}

bool computes_pointwise(OpKind kind) {
  return is_activation(kind) || is_arithmetic(kind) || kind == OpKind::PRelu || kind == OpKind::Gelu ||
         kind == OpKind::Pad || kind == OpKind::Cast || kind == OpKind::BatchNorm;
}

// True where a MaxPool reads the value or what nodes that compute element by element make of it: such nodes write
// floats behind a float Conv.
bool is_max_pooled(const GraphFacts& facts, ValueId value) {
  std::vector<ValueId> open{value};
  std::set<ValueId> seen{value};
  while (!open.empty()) {
    const ValueId read = open.back();
    open.pop_back();
    for (const Use& use : facts.value(read).uses) {
      if (use.slot < 0) continue;
      const OpKind kind = facts.kind(use.node);
      if (kind == OpKind::MaxPool) return true;
      const MaybeValue made = computes_pointwise(kind) ? facts.node(use.node).output(0) : kNoValue;
      if (made && seen.insert(*made).second) open.push_back(*made);
    }
  }
  return false;
}

void mark_few_channels(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.options().small_layers == PlacementOptions::SmallLayers::Quantize) return;
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) != OpKind::Conv || !facts.is_weighted(node.id) || draft.is_forced(node.id)) continue;
    if (!has_few_channels(facts, node) || !comes_in_float(facts, draft, node.input(0)) ||
        is_max_pooled(facts, *node.output(0)))
      continue;
    draft.keep_out(
        node.id, "weight " + facts.weight(node.id).shape().to_string() +
                     " has so few channels that the float kernel is faster (--policy small-layers=quantize overrides)");
  }
}

}  // namespace

constinit const Rule kFewChannels{.name = {"O11", "few channels"}, .mark = mark_few_channels};

}  // namespace detent::rules::onnxruntime
