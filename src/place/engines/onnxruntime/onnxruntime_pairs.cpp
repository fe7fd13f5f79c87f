#include "place/engines/onnxruntime/onnxruntime_pairs.h"

#include <algorithm>

#include "ops/clip_bounds.h"
#include "place/draft/decoding.h"
#include "place/draft/flow.h"

namespace detent {
bool must_read_float(const PlacementDraft& draft, NodeId node) { return draft.is_out(node) && !is_head(draft, node); }

std::string obstacle_to_closing(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value) {
  if (!value) return "its output is left out";
  const Value& v = facts.value(*value);
  if (v.is_output && !draft.options().quantize_outputs)
    return "'" + v.name + "' is a graph output, which carries no pair (R11; --policy quantize-outputs=on)";
  if (v.uses.empty() && !v.is_output) return "nothing reads '" + v.name + "'";
  for (const Use& use : v.uses) {
    if (use.slot < 0) return "'" + v.name + "' is read in a subgraph of " + facts.describe(use.node);
    if (std::ranges::count(facts.data_slots(use.node), use.slot) == 0)  // of Loop, Scan, a sequence ...
      return "'" + v.name + "' is read by " + facts.describe(use.node) + ", whose input takes no pair";
    if (facts.moves_pairs_into_subgraph(use.node))
      return "'" + v.name + "' is read by " + facts.describe(use.node) +
             ", and the engine would move the pair across it into a subgraph that it cannot change";
    if (must_read_float(draft, use.node))
      return "'" + v.name + "' is read by " + facts.describe(use.node) + ", which " + draft.why_out(use.node) +
             " and must read floats";
  }
  return "";
}

bool close_with_pair(PlacementDraft& draft, MaybeValue value, const std::string& reason) {
  if (!obstacle_to_closing(draft.facts(), draft, value).empty()) return false;
  const Value& v = draft.facts().value(*value);
  if (v.is_output) draft.pair_output(*value, reason);
  for (const Use& use : v.uses) {
    if (draft.is_out(use.node))
      draft.replace_with_pair(use.node, use.slot,
                              "it " + draft.why_out(use.node) +
                                  ", but its output is not quantized: it runs in float on "
                                  "the pair");
    else
      draft.pair(use.node, use.slot, reason);
  }
  return true;
}

MaybeValue absorbed_output(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value, Absorbs absorbs) {
  const auto use = sole_use(facts.graph(), value);
  if (!use || use->slot != 0 || draft.is_out(use->node)) return value;
  const OpKind kind = facts.kind(use->node);
  const auto bounds = absorbs == Absorbs::ReluAndClip && kind == OpKind::Clip
                          ? clip_bounds(facts.graph(), facts.node(use->node))
                          : std::nullopt;
  const bool clips = bounds && bounds->low() == 0.0F && bounds->high() > 0.0F;
  return kind == OpKind::Relu || clips ? facts.node(use->node).output(0) : value;
}

bool has_integer_kernel(OpKind kind) {
  switch (kind) {
    case OpKind::Add:
    case OpKind::Mul:
    case OpKind::Concat:
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::LeakyRelu:
    case OpKind::Sigmoid:
    case OpKind::Softmax:
    case OpKind::Where:
    case OpKind::MatMul: return true;
    default: return false;
  }
}

}  // namespace detent
