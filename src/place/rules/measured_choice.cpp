// A bound keeps a layer float, or no sample reaches it.
//
//   --max-drop 0.01:   before: Q --> DQ --> Conv 'stem'        after: Conv 'stem' reads float, its weight stays float
//
// All other layers stay float as well while the cost of one is measured. An engine without float kernels gives these
// layers 16-bit codes (H6).
//
// * Decides: layers stay float whose measured cost is too high for the bound. Without a bound, layers stay float
//   through which 8 bits of one value ruin the network. Such a layer in float raises the SQNR of the outputs by 2 dB or
//   more, while they have less than 24 dB, and by 3 dB while they have less than 10 dB. All of them together have at
//   most 2 % of the multiplications, or 20 % while the outputs have less than 10 dB. Values are suspects by what their
//   pairs alone cost the outputs. The reason names the cost; a report that is not good names the best `--exclude` of
//   such a layer, with its dB, first. Nodes also stay float that need the range of a value behind an operator that
//   Detent does not know (a plugin), unless a table or `--override` gives it.
// * Why: the bound has to hold. coco_yolox_nano keeps 90 % of its detections instead of 65 % when one depthwise Conv
//   with .3 % of the multiplications is float. The rule decides as early as R12, for the same reason.
// * Change it: `--max-drop`, `--min-sqnr`, `--accuracy fast`; `--include` keeps a layer in INT8 all the same.
// * Source: ours, like `auto_quantize` of Model-Optimizer.
// * Networks: models/cifar10_efficientnet_b0.

#include <algorithm>

#include "core/text.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

/// Keeps out what reads a value that no sample reaches, and where kernels need a pair behind them what makes one. Notes
/// how many layers that concerns, by reason.
void mark_unreached(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.measured().unreached.empty()) return;
  std::map<std::string, size_t> layers;
  for (const Node& node : facts.graph().nodes()) {
    const std::string* why = nullptr;
    const auto look_at = [&](ValueId value) { why = why ? why : draft.why_unreached(value); };
    std::ranges::for_each(present(node.inputs), look_at);
    if (!facts.target().engine.pairs_in_front_suffice || facts.is_foreign(node.id))
      std::ranges::for_each(present(node.outputs), look_at);
    if (!why) continue;
    draft.keep_out(node.id, "no sample reaches it: " + *why);
    if (facts.is_weighted(node.id)) ++layers[*why];
  }
  for (const auto& [why, count] : layers)
    draft.note(why + "; " + plural(count, "layer") + " behind it " + (count == 1 ? "stays" : "stay") +
               " float, and MACs there are not counted");
}

void mark_measured_choice(const GraphFacts& facts, PlacementDraft& draft) {
  mark_unreached(facts, draft);
  for (const auto& [name, reason] : draft.measured().costly) {
    const MaybeNode node = facts.graph().find_node(name);
    if (!node) throw Error(ErrorCode::InvalidOption, "there is no node '" + name + "' that could be kept float");
    if (!draft.is_forced(*node)) draft.keep_out(*node, reason);
  }
}

}  // namespace

constinit const Rule kMeasuredChoice{.name = {"R13", "measured"}, .mark = mark_measured_choice, .of_run = true};

}  // namespace detent::rules
