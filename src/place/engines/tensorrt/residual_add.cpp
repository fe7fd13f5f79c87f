// One input of a residual Add gets a pair, the other stays float.
//
//   before:   x --+--> Conv --> Relu --> Conv --> Add --> Relu
//                 +-------------------------------^
//   after:    x --> Q --> DQ --+--> Conv --> Relu --> Q --> DQ --> Conv --> Add --> Relu
//                              +--------------------------------------------^
//
// * Decides: of the two inputs of a residual Add one is *main*: it comes from a Conv and stays float. The other, the
//   *skip*, gets a pair. With two candidates the longer path from their nearest common ancestor is main; if both are
//   equally long, the second input.
// * Why: Conv + Add (+ Relu) become one kernel. The precision of the skip decides whether that kernel can write INT8.
// * Change it: `--policy act-add=both|main`, for an Add behind Conv and an activation other than Relu (the YOLO
//   bottleneck). `both`, the default, puts pairs on both inputs; `main` treats it as a residual Add.
// * Source: TensorRT guide, skip connections; Model-Optimizer; NVIDIA/TensorRT, tools/tensorflow-quantization (custom
//   Q/DQ cases: the producer has no other reader). Conv, activation and Add: Model-Optimizer; [TensorRT
//   2204](https://github.com/NVIDIA/TensorRT/issues/2204); NVIDIA-AI-IOT/yolo_deepstream, yolov7_qat.
// * Networks: models/cifar10_resnet18, models/imagenet_mobilenetv2 (linear bottleneck), the YOLO bottleneck.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <queue>

#include "place/draft/flow.h"
#include "place/engines/tensorrt/rules.h"
#include "place/rules/rules.h"

namespace detent::rules::tensorrt {
namespace {

// Returns the INT8 Conv or ConvTranspose that writes `value`, through MaxPool behind Relu, Relu, constant Add and Mul,
// and the Conv's BatchNormalization, if no value between has another reader; kNoNode when there is none.
MaybeNode backbone(const GraphFacts& facts, const PlacementDraft& draft, MaybeValue value) {
  bool pool_allowed = true, relu_allowed = true;
  while (value && sole_use(facts.graph(), value)) {
    const Node* node = facts.producer(value);
    if (!node) return kNoNode;
    const OpKind kind = facts.kind(node->id);
    if (kind == OpKind::Conv || kind == OpKind::ConvTranspose)
      return draft.is_int8(node->id) ? MaybeNode(node->id) : kNoNode;
    if (kind == OpKind::MaxPool && pool_allowed) {
      const Node* before = facts.producer(node->input(0));
      if (!before || facts.kind(before->id) != OpKind::Relu) return kNoNode;
      value = node->input(0);
    } else if (layer_of_norm(facts, node->id)) {
      value = node->input(0);
    } else if (kind == OpKind::Relu && relu_allowed) {
      relu_allowed = false;
      value = node->input(0);
    } else if ((kind == OpKind::Add || kind == OpKind::Mul) && is_constant_affine(facts, node->id)) {
      relu_allowed = false;
      value = varying_input(facts, node->id);
    } else {
      return kNoNode;
    }
    pool_allowed = false;
  }
  return kNoNode;
}

// Returns the steps from `start` up to every value it is computed from.
std::map<ValueId, int> ancestors(const Graph& graph, ValueId start) {
  std::map<ValueId, int> steps{{start, 0}};
  std::queue<ValueId> open({start});
  while (!open.empty()) {
    const ValueId value = open.front();
    open.pop();
    const Node* node = graph.producer(value);
    if (!node) continue;
    for (const ValueId input : present(node->inputs)) {
      if (graph.value(input).is_constant) continue;
      if (steps.emplace(input, steps[value] + 1).second) open.push(input);
    }
  }
  return steps;
}

struct Meeting {
  bool found = false;
  std::array<int, 2> steps{};  // from each of the two values up to their nearest common ancestor
};

Meeting meet(const Graph& graph, ValueId a, ValueId b) {
  const auto from_a = ancestors(graph, a), from_b = ancestors(graph, b);
  Meeting best;
  for (const auto& [value, steps] : from_a) {
    const auto other = from_b.find(value);
    if (other == from_b.end()) continue;
    if (!best.found || steps + other->second < best.steps[0] + best.steps[1]) best = {true, {steps, other->second}};
  }
  return best;
}

// Returns the main slot; -1 when the Add is not residual.
int main_slot(const GraphFacts& facts, const PlacementDraft& draft, const Node& add) {
  const std::array candidates{backbone(facts, draft, add.inputs[0]), backbone(facts, draft, add.inputs[1])};
  if (!candidates[0] && !candidates[1]) return -1;
  if (candidates[0] == candidates[1]) return -1;
  if (candidates[0] && candidates[1]) {
    const Meeting meeting = meet(facts.graph(), *add.inputs[0], *add.inputs[1]);
    return meeting.steps[0] > meeting.steps[1] ? 0 : 1;
  }
  const int slot = candidates[0] ? 0 : 1;
  // The other input is computed from the candidate (ConvNeXt): then nothing runs beside the skip.
  const auto other = ancestors(facts.graph(), *add.input(1 - slot));
  const MaybeNode candidate = candidates[static_cast<size_t>(slot)];
  return other.contains(*facts.node(*candidate).output(0)) ? -1 : slot;
}

// Returns the slot of an input that an INT8 weighted op with an activation other than Relu writes for this Add alone;
// -1 when there is none.
int activated_slot(const GraphFacts& facts, const PlacementDraft& draft, const Node& add) {
  for (const int slot : {1, 0}) {
    const Node* node = facts.producer(add.input(slot));
    if (!node || draft.is_out(node->id) || !sole_use(facts.graph(), add.input(slot))) continue;
    MaybeValue source;
    const auto written = written_activation(facts, node->id);
    if (written && written->form != WrittenActivation::Form::Gelu)
      source = written->input;
    else if (is_fusable_activation(facts.kind(node->id)) && facts.kind(node->id) != OpKind::Relu)
      source = node->input(0);
    const Node* writer = facts.producer(source);
    const MaybeNode normed = writer ? layer_of_norm(facts, writer->id) : kNoNode;
    if (writer && draft.is_int8(normed ? *normed : writer->id)) return slot;
  }
  return -1;
}

void place_residual(const GraphFacts& facts, PlacementDraft& draft, const Node& add, int main) {
  const MaybeNode layer = backbone(facts, draft, add.input(main));
  draft.keep_float(add.id, main, "main branch: " + facts.describe(*layer) + " and this Add become one kernel");
  draft.pair(
      add.id, 1 - main,
      fmt::format("skip of a residual Add: its precision decides whether the kernel of {} and this Add can write {}",
                  facts.describe(*layer), draft.codes()));
}

void place_activated(PlacementDraft& draft, const Node& add, int activated) {
  if (draft.options().act_add == PlacementOptions::ActAdd::Main) {
    draft.keep_float(add.id, activated, "treated as the main branch (--policy act-add=main)");
    draft.pair(add.id, 1 - activated, "skip of an Add behind an activation (--policy act-add=main)");
    return;
  }
  const std::string reason =
      "Conv, activation, Add is not a residual kernel: both inputs are quantized (--policy act-add=both)";
  draft.pair(add.id, 0, reason);
  draft.pair(add.id, 1, reason);
}

void decide_residual_add(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) != OpKind::Add || draft.is_out(node.id) || node.inputs.size() != 2) continue;
    if (node.inputs[0] == node.inputs[1] || facts.is_constant(node.inputs[0]) || facts.is_constant(node.inputs[1]))
      continue;
    const int main = main_slot(facts, draft, node);
    if (main >= 0) {
      if (facts.may_carry_pair(node.input(1 - main))) place_residual(facts, draft, node, main);
      continue;
    }
    const int activated = activated_slot(facts, draft, node);
    if (activated >= 0 && facts.may_carry_pair(node.inputs[0]) && facts.may_carry_pair(node.inputs[1]))
      place_activated(draft, node, activated);
  }
  // R3 once more: these Adds write INT8, which it did not know. Before R8, which asks whether every reader has a pair.
  draft.begin_rule(&kBatchNorm);
  kBatchNorm.decide(facts, draft);
}

}  // namespace

constinit const Rule kResidualAdd{.name = {"R4", "residual add"}, .decide = decide_residual_add, .residual_adds = true};

}  // namespace detent::rules::tensorrt
