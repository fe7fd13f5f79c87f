// The range behind Softmax, Sigmoid or Clip is cut to what they can put out, the range of SiLU's input to where it
// bends.
//
//   Softmax --> Q/DQ     measured range cut to [0, 1]       Clip(0, 6) --> Q/DQ     measured range cut to [0, 6]
//
// An operator that only moves data keeps the bounds, and pairs of one scale on both sides of it are cut alike.
//
//   Conv --> Q/DQ --> x * Sigmoid(x)       its range begins at -6 at the lowest;  x * HardSigmoid(x): at -3
//
// * Decides: a range behind an operator with bounded outputs ends at these bounds: [0, 1] behind Softmax, Sigmoid and
//   HardSigmoid, at most 0 behind LogSoftmax, and the bounds of a Clip. Ops that only move data keep the bound. In FP8
//   the range of Softmax is always [0, 1]. A value of 8 bits that only a SiLU reads begins at -6, where SiLU is -0.015;
//   one that only a HardSwish reads begins at -3, below which HardSwish is 0. For ONNX Runtime -3 is then a whole
//   number of steps below 0, and the file has the HardSwish on codes: HardSigmoid is a Clip of them.
// * Why: calibrators end at a bin edge. ONNX Runtime absorbs a Clip only if the range of the pair lies inside it. If
//   the range ends beyond it by less than half a step, ONNX Runtime 1.30 calls the model invalid. Clip bounds therefore
//   end 2^-22 inside for that target. Softmax over 256 tokens writes numbers near 1/256, half an INT8 step of [0, 1];
//   FP8 holds them at any scale.
//   Codes for numbers that SiLU makes about 0 are lost. Cut files in ONNX Runtime, on samples that nothing was
//   calibrated with: YOLOv8n 29.5 dB for 27.7, a YOLOv8 for blood cells 38.2 for 35.8, YOLOX-nano 12.7 for 11.4,
//   PP-OCRv4's recognizer 11.8 for 9.4.
// * Change it: `--override FILE.json` sets the range of a value by name, and comes first.
// * Source: the ONNX operator definitions; tried (Clip).
// * Networks: models/imagenet_mobilenetv2, attention over 256 tokens.

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "ops/clip_bounds.h"
#include "ops/self_gated.h"
#include "place/draft/flow.h"
#include "place/rules/clip_limits.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

// Returns the upper bound for a range. ONNX Runtime removes a Clip if 255 steps end inside it, to 1e-7. If they end a
// rounding beyond, it considers the Clip redundant later, removes it twice and calls the model invalid. A scale is
// rounded by 2^-24, its product with 255 again.
float inside(const GraphFacts& facts, float high) {
  const bool steps_reach_it = is_asymmetric(code_format(facts.target().activation->type).range);
  return steps_reach_it ? high * (1 - 0x1p-22F) : high;
}

// Returns the range that the node's output cannot leave; nullopt when unknown.
std::optional<Range> limits_of(const GraphFacts& facts, const PlacementDraft& draft, const Node& node,
                               const std::map<ValueId, Range>& known) {
  const OpKind kind = facts.kind(node.id);
  if (kind == OpKind::Softmax || kind == OpKind::Sigmoid || kind == OpKind::HardSigmoid) return Range{0.0F, 1.0F};
  if (kind == OpKind::LogSoftmax) return Range{std::numeric_limits<float>::lowest(), 0.0F};
  if (const auto limits = clip_limits(facts, node)) return limits;
  const bool repeats = kind == OpKind::Resize && node.string_or("mode", "nearest") == "nearest";
  const MaybeValue data = facts.data_input(node.id);
  if (!data || (!commutes(facts, draft, node.id) && !repeats)) return std::nullopt;
  const auto input = known.find(*data);
  return input == known.end() ? std::nullopt : std::optional(input->second);
}

// Cuts the input of a self-gated activation, read by it alone, to where its output is no longer about 0.
void limit_gated_input(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  constexpr float kSiluEnd = -6, kHardSwishEnd = -3, kMost = std::numeric_limits<float>::max();
  OpKind kind = facts.kind(node.id);
  MaybeValue input = node.input(0);
  std::set<NodeId> readers{node.id};
  if (const auto gated = self_gated_activation(facts.graph(), node)) {
    kind = gated->hard_swish > 0 ? OpKind::HardSwish : gated->kind, input = gated->input;
    readers.insert(gated->gate);
  }
  if ((kind != OpKind::Silu && kind != OpKind::HardSwish) || !input || !facts.is_float(*input)) return;
  const auto reads = [&](const Use& use) { return readers.contains(use.node); };
  const Value& value = facts.value(*input);
  if (value.is_output || value.is_constant || !std::ranges::all_of(value.uses, reads)) return;
  if (kind == OpKind::HardSwish) {
    draft.limit_range(*input, {kHardSwishEnd, kMost});
    if (facts.target().engine.gates_in_codes) draft.begin_in_whole_steps(*input);
    return;
  }
  if (draft.options().type == CodeType::Int8 && !draft.is_wide(input)) draft.limit_range(*input, {kSiluEnd, kMost});
}

void share(const GraphFacts& facts, PlacementDraft& draft) {
  std::map<ValueId, Range> known;
  for (const Node& node : facts.graph().nodes()) {
    limit_gated_input(facts, draft, node);
    const std::optional<Range> limits = limits_of(facts, draft, node, known);
    if (!limits) continue;
    for (const ValueId output : present(node.outputs)) {
      if (!facts.is_float(output)) continue;
      known.emplace(output, *limits);
      if (facts.kind(node.id) == OpKind::Softmax && draft.options().type == CodeType::Fp8)
        draft.fix_range(output, *limits);
      else
        draft.limit_range(output, *limits);
    }
  }
}

}  // namespace

constinit const Rule kKnownRanges{.name = {"", "known range"}, .share = share};

}  // namespace detent::rules

std::optional<detent::Range> detent::clip_limits(const GraphFacts& facts, const Node& node) {
  const auto bounds = facts.kind(node.id) == OpKind::Clip ? clip_bounds(facts.graph(), node) : std::nullopt;
  if (!bounds || bounds->low() > 0.0F || bounds->high() < 0.0F) return std::nullopt;
  return Range{std::max(bounds->low(), std::numeric_limits<float>::lowest()),
               rules::inside(facts, std::min(bounds->high(), std::numeric_limits<float>::max()))};
}
