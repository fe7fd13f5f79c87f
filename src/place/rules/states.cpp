// With `--state`: pairs on an output and on the input that it feeds share one scale.
//
//   before:   past --> Q/DQ(s) --> Concat --> Q/DQ(t) --> keys (feeds past)      after: t = s
//
// Pairs that a commuting op separates from the ends of a state count too. A state without a pair on one end stays as it
// is.
//
// * Decides: where an output feeds an input in the next step (`--state`), the pairs on both share one scale. `plan` and
//   `quantize` note for each state whether it has one scale, is rounded where it is read, is rounded where it is
//   written, or stays as it is.
// * Why: what one step writes lies on the grid that the next one reads with, so it is not rounded again. With two
//   scales the oldest entries of a cache are rounded in each step.
// * Source: ours.
// * Networks: decoders with caches.

#include "place/draft/flow.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

/// Returns the values with a pair among those that have the numbers of a state.
std::vector<ValueId> pairs_around(const PlacementDraft& draft, ValueId state) {
  std::vector<ValueId> pairs;
  for (const ValueId value : commuting_neighbours(draft.facts(), draft, state))
    if (draft.has_pair(value)) pairs.push_back(value);
  return pairs;
}

/// Returns what happens to a state between two steps.
std::string fate_of(bool reads_pair, bool writes_pair) {
  if (reads_pair && writes_pair) return "one scale on both, so that a step reads what the last one wrote unrounded";
  if (reads_pair) return "written as floats and rounded where it is read, to the same codes in each step";
  if (writes_pair) return "a pair on the output alone, whose numbers the next step reads as they are";
  return "no pair at either end, its numbers go from step to step as they are";
}

void share_states(const GraphFacts& facts, PlacementDraft& draft) {
  for (const auto& [output, input] : draft.options().feeds) {
    const MaybeValue written = facts.graph().find_value(output), read = facts.graph().find_value(input);
    if (!written || !read) continue;
    const std::vector<ValueId> readers = pairs_around(draft, *read);
    // Pairs in front of readers inside the graph do not round the output.
    const bool writes = draft.has_output_pair(*written);
    if (writes)
      for (const ValueId value : readers) {
        draft.share_scale(written, value);
        draft.explain_pairs(value, "one scale with the state '" + output + "' that feeds it");
      }
    draft.note("state '" + input + "', fed by '" + output + "': " + fate_of(!readers.empty(), writes));
  }
}

}  // namespace

constinit const Rule kStates{.name = {"R19", "state"}, .share = share_states};

}  // namespace detent::rules
