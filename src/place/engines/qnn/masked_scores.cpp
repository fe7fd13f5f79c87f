//   scores: [-12, 20]    mask: 0 or -10000          Add: [-10000, 20], one code a 39          before
//                                                   Add: [-50, 20], one code a 0.27           after
//
// A mask of attention is added to scores as a huge negative number, and a Softmax alone reads the sum. With one scale
// over all of it the scores have no codes. exp(-50) is 2e-22, less than any code of the Softmax: the pair's range may
// end at -50, where codes saturate. The mask itself needs no narrow range, since 0 and its largest number are codes.
//
// Constant masks whose sum the rule `mask` (H7) gives the range of the scores are left to it.
//
// Source: ours, measured on models/chars_gpt. Motivated by models/chars_gpt (a constant) and exports/bert_mini
// (computed from the attention mask).

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "place/engines/qnn/rules.h"

namespace detent::rules::qnn {
namespace {

constexpr float kFloor = -50;
/// Numbers below are no scores.
constexpr float kMask = -1e3F;
/// Most nodes between the number and the Add.
constexpr int kDeepest = 8;

/// Operators between a mask's number and the scores.
constexpr std::array<std::string_view, 11> kCarriers{"Where",   "Mul",   "Sub",       "Cast",    "Unsqueeze", "Expand",
                                                     "Reshape", "Slice", "Transpose", "Squeeze", "Identity"};

bool is_mask(const GraphFacts& facts, MaybeValue value) {
  const Tensor* constant = facts.is_constant(value) && facts.is_float(value) ? facts.graph().constant(value) : nullptr;
  if (!constant) return false;
  const Tensor numbers = cast(*constant, DataType::Float32);
  return std::ranges::any_of(numbers.data<float>(), [](float number) { return number < kMask; });
}

// Finds the constants of masks that reach the value.
void find_masks(const GraphFacts& facts, MaybeValue value, int depth, std::set<ValueId>& found) {
  if (!value || depth > kDeepest) return;
  if (is_mask(facts, value)) found.insert(*value);
  const Node* node = facts.producer(value);
  if (!node || std::ranges::find(kCarriers, node->op_type) == kCarriers.end()) return;
  for (const ValueId input : present(node->inputs)) find_masks(facts, input, depth + 1, found);
}

bool is_read_by_softmax_alone(const GraphFacts& facts, const Value& value) {
  return !value.is_output && !value.uses.empty() && std::ranges::all_of(value.uses, [&](const Use& use) {
    return use.slot >= 0 && facts.kind(use.node) == OpKind::Softmax;
  });
}

void limit_scores(const GraphFacts& facts, PlacementDraft& draft) {
  std::set<ValueId> harmless;
  for (const Node& node : facts.graph().nodes()) {
    const MaybeValue sum = node.output(0);
    const bool adds = sum && (facts.kind(node.id) == OpKind::Add || node.op_type == "Where");
    const bool follows = std::ranges::count(draft.masked_sums(), sum, &MaskedSum::sum) > 0;  // H7
    if (!adds || follows || draft.is_out(node.id) || !is_read_by_softmax_alone(facts, facts.value(*sum))) continue;
    std::set<ValueId> masks;
    for (const ValueId input : present(node.inputs)) find_masks(facts, input, 0, masks);
    if (!masks.empty()) draft.limit_range(*sum, {kFloor, std::numeric_limits<float>::max()});
    harmless.insert(masks.begin(), masks.end());
  }
  const auto is_masked = [&](ValueId value) {
    return harmless.contains(value) || std::ranges::any_of(draft.masked_sums(), [&](const MaskedSum& one) {
             return draft.share_one_scale(one.mask, value);
           });
  };
  for (const Value& value : facts.graph().values())
    if (draft.has_pair(value.id) && is_mask(facts, value.id) && !is_masked(value.id))
      draft.note("constant '" + value.name +
                 "' holds numbers below -1000, as masks do: values behind it lose the others. Write about -50");
}

}  // namespace

const Rule kMaskedScores{.name = kFixedEncodings.name, .share = limit_scores};

}  // namespace detent::rules::qnn
