// The range of masked scores follows the scores.
//
//   before:   scores [-12, 9] --> Add(mask [-10000, 0]) --> Q/DQ [-10012, 9] --> Softmax
//   after:    scores [-12, 9] --> Add(mask [-31, 0])    --> Q/DQ [-22, 9]    --> Softmax
//
// At 10 below the scores a Softmax writes e^-10, a hundredth of a code of 1/255; numbers below are cut to it. Scores
// that are masked in every sample may lie anywhere, because no training looked at them: the scores' range is cut to the
// unmasked part, which the sum shows.
//
// The mask may stand behind copies. A bias that grows with the distance has numbers between -1000 and -30, which a cut
// would change.
//
// * Decides: a sum of scores and a constant mask (numbers of -1000 or less, others within 30 of 0), or a Where with
//   one, that only Softmax reads has the range of the scores that are not masked, and 10 below. The mask's range
//   reaches from the largest score to this end.
// * Why: with a mask of -10000 a step of 8 bits is 40, and scores have no codes. Softmax makes 0 of every number that
//   far below. chars_gpt has 13.9 dB instead of 1.3.
// * Change it: `--override` with the range of the sum.
// * Source: the definition of Softmax; our policy, as masks of -50 or -100 in Qualcomm's exports of language models.
//   Read in November 2026.
// * Networks: models/chars_gpt.

#include <algorithm>
#include <array>
#include <cmath>

#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"

namespace detent::rules::qnn {
namespace {

constexpr float kLeastMask = 1000, kLargestOther = 30;

/// True for a constant whose numbers are as those of a mask.
bool is_mask(const Tensor& constant) {
  const Tensor numbers = cast(constant, DataType::Float32);
  const auto masks = [](float x) { return x <= -kLeastMask; };
  return std::ranges::any_of(numbers.data<float>(), masks) &&
         std::ranges::all_of(numbers.data<float>(), [&](float x) { return masks(x) || std::abs(x) <= kLargestOther; });
}

/// True for a value that copies of a mask write, or the mask itself.
bool holds_mask(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value) {
  while (value && facts.is_float(value)) {
    if (const Tensor* constant = facts.graph().constant(value)) return is_mask(*constant);
    const Node* copy = facts.producer(value);
    if (!copy || !has_one_encoding(draft, copy->id)) return false;
    value = facts.data_input(copy->id);
  }
  return false;
}

void find_masks(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    const OpKind kind = facts.kind(node.id);
    if ((kind != OpKind::Add && node.op_type != "Where") || !is_unit(facts, draft, node)) continue;
    const MaybeValue sum = node.output(0);
    if (!sum) continue;
    const auto& uses = facts.value(*sum).uses;
    const bool to_softmax = !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
      return use.slot >= 0 && facts.kind(use.node) == OpKind::Softmax;
    });
    const int first = kind == OpKind::Add ? 0 : 1;
    if (!to_softmax || node.inputs.size() < static_cast<size_t>(first) + 2) continue;
    for (const auto [mask, scores] : {std::array{first, first + 1}, std::array{first + 1, first}}) {
      if (!holds_mask(facts, draft, node.input(mask)) || !node.input(scores) || facts.is_constant(node.input(scores)))
        continue;
      if (facts.value(*node.input(scores)).uses.size() != 1) continue;
      draft.mask({*sum, *node.input(scores), *node.input(mask)});
      draft.explain_pairs(*sum, "its range ends a little below the scores, because Softmax makes 0 of masks");
    }
  }
}

}  // namespace

constinit const Rule kMasks{.name = {"H7", "mask", "the definition of Softmax; November 2026"}, .share = find_masks};

}  // namespace detent::rules::qnn
