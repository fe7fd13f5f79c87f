// The range of masked scores follows the scores.
//
//   before:   scores [-12, 9] --> Add(mask [-10000, 0]) --> Q/DQ [-10012, 9] --> Softmax
//   after:    scores [-12, 9] --> Add(mask [-31, 0])    --> Q/DQ [-22, 9]    --> Softmax
//
// At 10 below the scores a Softmax writes e^-10, a hundredth of a code of 1/255; numbers below are cut to it. Scores
// that are masked in every sample may lie anywhere, because no training looked at them: the scores' range is cut to the
// unmasked part, which the sum shows.
//
// A mask is a constant, a graph input with "mask" in its name, or computed from such, from integers and from booleans,
// as (1 - mask) * -10000. One of its numbers lies beyond 50, and no constant has others beyond 30: a bias that grows
// with the distance would be changed by a cut. Several masks may be added one behind the other, or to each other.
//
// * Decides: the rule is about a sum of scores and masks, or a Where with a mask, that only Softmax reads, directly or
//   behind copies. Its range is that of the scores that are not masked, and 10 below. The mask's range reaches from the
//   largest score to this end, and so does that of constants in it. If no score of the samples is masked, ranges stay
//   as measured.
// * Why: with a mask of -10000 a step of 8 bits is 40, and scores have no codes. Softmax makes 0 of every number that
//   far below. chars_gpt has 13.9 dB instead of 1.3.
// * Change it: `--override` with the range of the sum.
// * Source: the definition of Softmax; our policy, as masks of -50 or -100 in Qualcomm's exports of language models.
//   Read in November 2026.
// * Networks: models/chars_gpt (a constant) and exports/bert_mini (computed from the attention mask).

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/float_type.h"
#include "ops/mask_values.h"
#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"

namespace detent::rules::qnn {
namespace {

constexpr float kBelowMasks = 50, kLargestOther = 30;

/// Kinds of constants beside scores.
enum class Numbers { OfMask, Small, Others };

Numbers numbers_of(const Tensor& constant) {
  const Tensor numbers = cast(constant, DataType::Float32);
  bool masks = false;
  for (const float x : numbers.data<float>()) {
    if (std::abs(x) > kLargestOther && std::abs(x) <= kBelowMasks) return Numbers::Others;
    masks = masks || std::abs(x) > kBelowMasks;
  }
  return masks ? Numbers::OfMask : Numbers::Small;
}

/// Finds masks and the sums of scores with them.
class MaskFinder {
 public:
  MaskFinder(const GraphFacts& facts, PlacementDraft& draft)
      : facts_(facts), draft_(draft), masks_(mask_values(facts.graph())) {}

  void run() {
    for (const Node& node : facts_.graph().nodes()) {
      const bool adds = facts_.kind(node.id) == OpKind::Add;
      if ((!adds && node.op_type != "Where") || !is_unit(facts_, draft_, node) || !node.output(0)) continue;
      const int first = adds ? 0 : 1;
      if (!leads_to_softmax(*node.output(0)) || node.inputs.size() < static_cast<size_t>(first) + 2) continue;
      for (const auto [mask, scores] : {std::array{first, first + 1}, std::array{first + 1, first}})
        if (add(node, node.input(mask), node.input(scores))) break;
    }
  }

 private:
  [[nodiscard]] bool is_mask(MaybeValue value) const { return value && (facts_.is_constant(value) || masks_[*value]); }

  /// True when Softmax alone reads the value: directly, behind copies, or behind more masks.
  [[nodiscard]] bool leads_to_softmax(ValueId value) const {
    const Value& read = facts_.value(value);
    return !read.is_output && !read.uses.empty() && std::ranges::all_of(read.uses, [&](const Use& use) {
      if (use.slot < 0) return false;
      const Node& node = facts_.node(use.node);
      if (facts_.kind(node.id) == OpKind::Softmax || facts_.kind(node.id) == OpKind::ShapeOf) return true;
      if (!node.output(0)) return false;
      const bool adds = facts_.kind(node.id) == OpKind::Add || node.op_type == "Where";
      const auto is_scores = [&](ValueId input) { return input == value || is_mask(input) || !facts_.is_float(input); };
      const bool masked = adds && std::ranges::all_of(present(node.inputs), is_scores);
      return (masked || has_one_encoding(draft_, node.id)) && leads_to_softmax(*node.output(0));
    });
  }

  bool add(const Node& node, MaybeValue mask, MaybeValue scores) {
    if (!is_mask(mask) || !scores || is_mask(scores) || !facts_.is_float(scores)) return false;
    const auto reads_numbers = [&](const Use& use) { return use.slot < 0 || facts_.kind(use.node) != OpKind::ShapeOf; };
    if (std::ranges::count_if(facts_.value(*scores).uses, reads_numbers) != 1) return false;
    std::set<ValueId> constants;
    if (!find_constants(*mask, constants)) return false;
    constants.insert(*mask);
    for (const ValueId one : constants) draft_.mask({*node.output(0), *scores, one});
    draft_.explain_pairs(*node.output(0), "its range ends a little below the scores, because Softmax makes 0 of masks");
    return true;
  }

  /// Finds the constants with a mask's numbers behind a mask. Returns false where another constant is no mask, or
  /// neither a constant nor an input says that there is one.
  bool find_constants(ValueId mask, std::set<ValueId>& found) const {
    std::vector<ValueId> open{mask};
    std::set<ValueId> seen;
    bool given = false;
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      if (!facts_.is_float(value) || !seen.insert(value).second) continue;
      const Node* node = facts_.producer(value);
      if (const Tensor* constant = facts_.graph().constant(value)) {
        const Numbers numbers = numbers_of(*constant);
        if (numbers == Numbers::Others) return false;
        if (numbers == Numbers::OfMask) found.insert(value);
      } else if (node) {
        for (const ValueId input : present(node->inputs)) open.push_back(input);
      } else {
        given = true;
      }
    }
    return given || !found.empty();
  }

  const GraphFacts& facts_;
  PlacementDraft& draft_;
  ValueMap<bool> masks_;
};

void note_other_masks(const GraphFacts& facts, PlacementDraft& draft) {
  constexpr float kNoScore = -1000;
  for (const Value& value : facts.graph().values()) {
    const Tensor* constant = facts.is_float(value.id) ? facts.graph().constant(value.id) : nullptr;
    if (!constant || !draft.has_pair(value.id)) continue;
    const Tensor numbers = cast(*constant, DataType::Float32);
    if (std::ranges::none_of(numbers.data<float>(), [](float x) { return x < kNoScore; })) continue;
    const bool cut = std::ranges::any_of(draft.masked_sums(), [&](const MaskedSum& one) {
      return one.mask == value.id || draft.share_one_scale(one.mask, value.id);
    });
    if (!cut)
      draft.note("constant '" + value.name +
                 "' holds numbers below -1000, as masks do: values behind it lose the others. Write about -50");
  }
}

void find_masks(const GraphFacts& facts, PlacementDraft& draft) {
  MaskFinder(facts, draft).run();
  note_other_masks(facts, draft);
}

}  // namespace

constinit const Rule kMasks{.name = {"H7", "mask"}, .share = find_masks};

}  // namespace detent::rules::qnn
