//   before:   x --> LayerNorm --> Q --> DQ --> MatMul           after:   x --> LayerNorm --> MatMul
//                    (8 bits keep 29 dB of it)
//
//   --residual quantize:   x --> Q/DQ --> Add --> LayerNorm     --residual float:   no Add of the stream reads a pair
//                          f(x) -> Q/DQ ---^
//
// A transformer's residual stream has few channels that tower over the others, so one scale for the tensor loses the others,
// and every block reads what is left. What measured ranges show to be ruined stays float: the products that read a normalized
// value, and Adds. The figures are those of calibrate/ruined_values.h. No rule quantizes such Adds for their own sake; for ONNX
// Runtime those of post-norm blocks read the pair of the products beside them (O8).
//
// Source: NVIDIA Model-Optimizer quantizes both inputs (ViT-B/16: 5 % of 85.2 % right, 84.5 % with only the linear layers); the
// channels: Dettmers et al. 2022, LLM.int8(), arXiv 2208.07339; Xiao et al. 2022, SmoothQuant, arXiv 2211.10438. Bounds: ours,
// measured on models/chars_gpt.

#include "place/draft/residual_stream.h"
#include "place/draft/onnxruntime_pairs.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

using Residual = PlacementOptions::Residual;

void mark(PlacementDraft& draft) {
  if (draft.options().residual != Residual::Quantize) {
    for (const auto& [name, reason] : draft.options().ruined) {
      const NodeId node = draft.graph().find_node(name);
      if (node != kNoNode && !draft.is_forced(node) && !draft.is_out(node)) draft.keep_out(node, reason);
    }
  }
  if (draft.options().residual != Residual::Float) return;
  for (const NodeId add : residual_stream(draft).adds)
    if (!draft.is_forced(add) && !draft.is_out(add))
      draft.keep_out(add, "Add of the residual stream (--residual float)");
}

void decide(PlacementDraft& draft) {
  if (draft.options().residual != Residual::Quantize) return;
  for (const NodeId add : residual_stream(draft).adds) {
    if (draft.is_out(add)) continue;
    const Node& node = draft.graph().node(add);
    if (!draft.may_carry_pair(node.inputs[0]) || !draft.may_carry_pair(node.inputs[1])) continue;
    const std::string reason = "Add of the residual stream: both inputs are quantized (--residual quantize)";
    for (const int slot : draft.data_slots(add)) draft.pair(add, slot, reason);
  }
}

}  // namespace

Rule residual_stream() { return {.id = RuleId::ResidualStream, .mark = mark, .decide = decide}; }

}  // namespace detent::rules
