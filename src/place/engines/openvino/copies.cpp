// A pair stands in front of MaxPool, Reshape, Concat ..., not behind it.
//
//   before:   Conv --> Relu --> MaxPool --> Conv          after:   Conv --> Relu --> Q/DQ --> MaxPool --> Conv
//
//   before:   a --> Concat --> Conv                       after:   a --> Q/DQ(s) --> Concat --> Conv
//             b ------^                                            b --> Q/DQ(s) ------^
//
// * Decides: a pair that all readers of MaxPool, Reshape, Transpose, Slice, Concat ... read stands in front of that
//   operator and not behind it. The inputs of a Concat have one scale (CPU, NPU) or keep their own (GPU). If a reader
//   takes floats or the value is a graph output, the pair stays behind; a Shape beside them takes none. A pair does not
//   move in front of a vector or of a value of more than five axes, nor in front of a Tile, SpaceToDepth,
//   GatherElements, GatherND, or a Gather that exchanges channels. It stays behind a Pad that puts zeros beside values
//   below 0, unless the pads are constant and a Conv alone reads them. ReduceMax, ReduceMin and GlobalMaxPool are such
//   operators too. They read one more pair if copies and elementwise operators stand between them and the pair.
//   A Concat of values below 0 is another case. If a Slice or Split takes a part of the joined axis, or a Transpose
//   moves axis 0 or 1 behind a Concat of another axis than 1, the pair stands at the layer.
// * Why: these operators take the type that comes, so the kernel in front writes codes and they move them. The engine
//   computes a pair behind ReduceMax, ReduceMin or GlobalMaxPool in the same kernel, and wrongly (16 dB for 43). The
//   layer behind a Tile, SpaceToDepth, GatherElements, GatherND, such a Pad or such a Concat reads no codes through it.
//   A constant order of channels is merged into the weights of the next Conv, in the inverse order (-2 dB for 35, in
//   the float model too), unless a pair stands between.
// * Change it: no option.
// * Source: NNCF, `hardware/setups` (operators without a type, Concat with unified scales) and its quantizer
//   propagation.
// * Networks: models/shapes_unet, exports/shufflenetv2 (Shape).

#include <algorithm>
#include <ranges>
#include <set>

#include "place/draft/flow.h"
#include "place/engines/openvino/openvino_kernels.h"
#include "place/engines/openvino/rules.h"

namespace detent::rules::openvino {
namespace {

// True when every reader of every output reads a pair, except a Shape, which reads no numbers.
bool all_readers_have_pairs(const PlacementDraft& draft, const Node& node) {
  return std::ranges::all_of(present(node.outputs), [&](ValueId output) {
    const Value& value = draft.facts().value(output);
    return !value.is_output && draft.has_pair(output) && std::ranges::all_of(value.uses, [&](const Use& use) {
      return use.slot >= 0 && (draft.is_pair(use.node, use.slot) || draft.facts().kind(use.node) == OpKind::ShapeOf);
    });
  });
}

// True for a value in front of which a pair would no longer belong to the layer behind: a vector that becomes a matrix
// (V4), and more axes than the engine follows.
bool stops_pairs(const GraphFacts& facts, ValueId value) {
  constexpr size_t kMostAxes = 5;
  const std::optional<size_t> rank = facts.find_rank(value);
  return rank == 1U || rank > kMostAxes;
}

std::vector<int> copied_slots(const GraphFacts& facts, PlacementDraft& draft, const Node& node,
                              const std::set<NodeId>& losing) {
  if (takes_extremes(node) && !draft.is_out(node.id)) return {0};
  if (losing.contains(node.id)) return {};
  if (is_data_concat(facts, draft, node.id))
    return draft.is_symmetric(*node.output(0)) ? std::vector<int>{} : facts.data_slots(node.id);  // V3
  if (copies_floats(node) || exchanges_channels(facts, node)) return {};
  if (pads_floats(facts, node) && !stays_above_zero(facts, node.input(0))) return {};
  if (!commutes(facts, draft, node.id) || stops_pairs(facts, *facts.data_input(node.id))) return {};
  return {facts.data_slots(node.id).front()};
}

void tie(PlacementDraft& draft, const Node& node, ValueId input) {
  const bool apart = is_data_concat(draft.facts(), draft, node.id) && !draft.facts().target().concat_shares_scale;
  for (const ValueId output : present(node.outputs))
    if (!apart) draft.share_scale(input, output);
}

void move_pairs_up(const GraphFacts& facts, PlacementDraft& draft) {
  // The engine joins with one scale on CPU and NPU alone.
  const std::set<NodeId> losing =
      facts.target().concat_shares_scale ? nodes_that_lose_codes(facts) : std::set<NodeId>();
  for (const Node& node : facts.graph().nodes() | std::views::reverse) {
    const std::vector<int> slots = copied_slots(facts, draft, node, losing);
    const auto takes_pair = [&](int slot) {
      const MaybeValue input = node.input(slot);
      return facts.is_float(input) && facts.may_carry_pair(input);
    };
    if (slots.empty() || !std::ranges::all_of(slots, takes_pair)) continue;
    const std::string what = facts.describe(node.id);
    if (!all_readers_have_pairs(draft, node)) {
      if (takes_extremes(node) && ends_in_pair(draft, node))
        draft.replace_with_pair(node.id, 0, what + " would compute the pair behind it in its kernel, and wrongly");
      continue;
    }
    for (const ValueId output : present(node.outputs)) {
      for (const Use& use : facts.value(output).uses)
        draft.replace_with_float(use.node, use.slot, what + " passes codes on: the pair stands in front of it");
    }
    for (const int slot : slots) {
      draft.replace_with_pair(node.id, slot, what + " takes the type that comes, and all its readers want codes");
      tie(draft, node, *node.input(slot));
    }
  }
}

}  // namespace

constinit const Rule kCopies{.name = {"V2", "copy"}, .share = move_pairs_up, .moves_pairs_up = true};

}  // namespace detent::rules::openvino
