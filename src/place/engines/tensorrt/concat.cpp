// The inputs of a Concat share one scale.
//
//   before:   a --+--> MaxPool --> Conv               after:   a --+--> MaxPool --> Q/DQ(s) --> Conv
//                 +--> Concat --> Conv                             +--> Concat --> Q/DQ(s) --> Conv
//             b -------^                                       b -------^
//
// The same scale also holds for pairs that commuting ops separate from an input of the Concat, in either direction.
// Sets that overlap merge. Under the shared scale a value with an eighth of the range (scores beside boxes in pixels)
// would keep fewer than five of its eight bits.
//
// * Decides: where a Concat feeds an INT8 layer, one pair stands behind it, and all pairs on its inputs take the same
//   scale. The scale is calibrated on the merged data of all of them. Inputs without a pair get none. A value whose
//   measured or trained range is less than an eighth of the others' keeps its own scale, and a note says so.
// * Why: TensorRT copies the QuantizeLinear into each producer, so the inputs are written side by side. Unequal scales
//   would cost a requantization: equal ones took YOLOv7 from 180 to 207 images/s.
// * Change it: `--policy concat=shared|inputs|independent`. `inputs` puts the shared pair on every input too, for
//   engines that do not copy; `independent` gives each pair its own scale.
// * Source: [TensorRT 2597](https://github.com/NVIDIA/TensorRT/issues/2597) (the log shows the copied QuantizeLinear);
//   Model-Optimizer; NVIDIA-AI-IOT/yolo_deepstream, yolov7_qat; [TensorRT
//   4366](https://github.com/NVIDIA/TensorRT/issues/4366) (the notes). An eighth: ours, not fitted; in the shared
//   models no group has less than a third.
// * Networks: models/shapes_unet.

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "place/draft/flow.h"
#include "place/engines/tensorrt/rules.h"

namespace detent::rules::tensorrt {
namespace {

using ConcatPolicy = PlacementOptions::Concat;

std::vector<NodeId> quantized_concats(const PlacementDraft& draft) {
  const ValueMap<bool> before_pairs = values_before_pairs(draft);
  std::vector<NodeId> found;
  for (const Node& node : draft.facts().graph().nodes())
    if (is_data_concat(draft.facts(), draft, node.id) && before_pairs[*node.output(0)]) found.push_back(node.id);
  return found;
}

// Puts pairs on all inputs, for engines that do not clone the Q.
void pair_inputs(const GraphFacts& facts, PlacementDraft& draft, NodeId concat) {
  for (const int slot : facts.data_slots(concat)) {
    if (facts.may_carry_pair(facts.node(concat).input(slot)))
      draft.replace_with_pair(concat, slot,
                              "every input of the Concat carries the shared scale (--policy concat=inputs)");
  }
}

void name_float_inputs(const GraphFacts& facts, PlacementDraft& draft, NodeId concat, const ValueMap<bool>& sources) {
  for (const int slot : facts.data_slots(concat)) {
    const ValueId input = *facts.node(concat).input(slot);
    if (!sources[input])
      draft.note(
          fmt::format("{}: input {} comes from {}, which does not run in {}; the quantization happens before the "
                      "Concat and costs a copy",
                      facts.describe(concat), slot, facts.describe_source(input), draft.codes()));
  }
}

// Ties the scales of inputs and outputs of Concats. A value is walked over only for its first Concats, so that a chain
// of thousands takes time in proportion to its length; a later Concat is tied to what those walks have tied.
class Ties {
 public:
  explicit Ties(const GraphFacts& facts, PlacementDraft& draft)
      : facts_(facts), draft_(draft), before_pairs_(values_before_pairs(draft)), behind_(before_pairs_.size()),
        beside_(before_pairs_.size()) {}

  void tie(NodeId concat) {
    const Node& node = facts_.node(concat);
    const ValueId output = *node.output(0);
    tie_behind(output, "one scale with the inputs of " + facts_.describe(concat));
    std::set<ValueId> told;
    for (const int slot : facts_.data_slots(concat)) {
      const ValueId input = *node.input(slot);
      share(output, input);
      if (!told.contains(input)) tie_beside(output, input, "one scale with " + facts_.describe(concat), told);
    }
  }

 private:
  static constexpr int kMostWalks = 4;
  struct Walked {
    int times = 0;
    MaybeValue tied;  // tied to all pairs that a walk from here finds; kNoValue: there are none
  };

  void tell(ValueId value, const std::string& sentence, const Walked& walked) {
    draft_.explain_pairs(value, walked.times < kMostWalks ? sentence : "and with those of more Concats");
  }

  void share(ValueId output, ValueId value) {
    if (!draft_.keeps_apart(value)) draft_.share_scale(output, value);
  }

  // pairs_behind(output)
  void tie_behind(ValueId output, const std::string& sentence) {
    std::vector<ValueId> open{output};
    std::set<ValueId> seen{output};
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      Walked& walked = behind_[value];
      if (walked.times == 0) walked.tied = output;
      draft_.share_scale(output, walked.tied);
      if (walked.times == kMostWalks) continue;
      ++walked.times;
      if (draft_.has_pair(value)) {
        share(output, value);
        tell(value, sentence, walked);
      }
      for (const Use& use : facts_.value(value).uses)
        for (const ValueId next : values_behind(facts_, draft_, use))
          if (before_pairs_[next] && seen.insert(next).second) open.push_back(next);
    }
  }

  // commuting_neighbours(input), which were all walked over equally often
  void tie_beside(ValueId output, ValueId input, const std::string& sentence, std::set<ValueId>& told) {
    const Walked first = beside_[input];
    if (first.tied) draft_.share_scale(output, first.tied);
    if (first.times == kMostWalks) return;
    const std::vector<ValueId> all = commuting_neighbours(facts_, draft_, input);
    const auto paired = std::ranges::find_if(all, [&](ValueId value) { return draft_.has_pair(value); });
    for (const ValueId value : all) {
      Walked& walked = beside_[value];
      walked = {first.times + 1, paired == all.end() ? kNoValue : *paired};
      told.insert(value);
      if (!draft_.has_pair(value)) continue;
      share(output, value);
      tell(value, sentence, walked);
    }
  }

  const GraphFacts& facts_;
  PlacementDraft& draft_;
  const ValueMap<bool> before_pairs_;
  ValueMap<Walked> behind_, beside_;
};

void share_concat(const GraphFacts& facts, PlacementDraft& draft) {
  const std::vector<NodeId> concats = quantized_concats(draft);
  const ValueMap<bool> sources = int8_sources(draft);
  for (const NodeId concat : concats) {
    for (const int slot : facts.data_slots(concat))
      draft.keep_float(concat, slot, "TensorRT clones the Q behind the Concat into each producer");
    if (draft.options().concat == ConcatPolicy::Inputs) pair_inputs(facts, draft, concat);
    name_float_inputs(facts, draft, concat, sources);
  }
  if (draft.options().concat == ConcatPolicy::Independent) return;
  for (const auto& [name, share] : draft.measured().apart)
    draft.note("'" + name + "' reaches " + fmt::format("{:.2g}", share) +
               " of what a Concat joins it with: it keeps its own scale, which costs a requantization");
  Ties ties(facts, draft);
  for (const NodeId concat : concats) ties.tie(concat);
}

}  // namespace

constinit const Rule kConcat{.name = {"R5", "concat"}, .share = share_concat};

}  // namespace detent::rules::tensorrt
