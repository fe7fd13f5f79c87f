#include "place/engines/rknn/npu_nodes.h"

#include <algorithm>
#include <array>

#include "ops/traits.h"
#include "place/draft/decoding.h"
#include "place/engines/qnn/qnn_units.h"

namespace detent {

namespace {

// True for what an activation or a mean of a layer is: the compiler runs the former in the layer, and refuses the
// latter in floats behind codes.
bool belongs_to_layer(const GraphFacts& facts, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::Relu:
    case OpKind::Clip: {
      const Node* before = facts.producer(node.input(0));
      return before && facts.is_weighted(before->id);
    }
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::ReduceMean: return true;
    default: return false;
  }
}

// True for a node over three axes that ends the compiler.
bool ends_on_volumes(const GraphFacts& facts, const Node& node) {
  constexpr size_t kAxesOfVolume = 5;
  const MaybeValue input = node.input(0);
  if (!input || facts.find_rank(*input) < kAxesOfVolume) return false;
  switch (facts.kind(node.id)) {
    case OpKind::Conv: return node.int_or("group", 1) != 1;
    case OpKind::MaxPool:
    case OpKind::AveragePool:
    case OpKind::Resize: return true;
    default: return false;
  }
}

// True for a Conv whose strides the compiler takes in three steps, after two of which it ends.
bool has_wide_strides(const GraphFacts& facts, const Node& node) {
  constexpr int64_t kRefused = 32;
  return facts.kind(node.id) == OpKind::Conv && std::ranges::any_of(node.ints_or("strides", {}), [](int64_t stride) {
           return stride > 0 && stride % kRefused == 0;
         });
}

}  // namespace

std::string build_obstacle(const GraphFacts& facts, const Node& node) {
  if (holds_graphs(node)) return "holds a graph";
  if (has_wide_strides(facts, node)) return "has a stride that is a multiple of 32";
  return ends_on_volumes(facts, node) ? "works over three axes" : "";
}

std::string half_obstacle(const GraphFacts& facts, const Node& node) {
  constexpr std::array<int64_t, 8> kInTwoSteps{8, 10, 12, 14, 16, 20, 24, 28};
  if (facts.kind(node.id) != OpKind::Conv) return {};
  for (const int64_t stride : node.ints_or("strides", {}))
    if (std::ranges::find(kInTwoSteps, stride) != kInTwoSteps.end())
      return "has a stride of " + std::to_string(stride) + ", which rknn-toolkit2 takes in two steps of FP16";
  return {};
}

bool runs_on_npu(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  if (!is_unit(facts, draft, node) || is_recurrent(node) || facts.is_foreign(node.id)) return false;
  return facts.is_weighted(node.id) || belongs_to_layer(facts, node) || !is_decoding(draft, node.id);
}

}  // namespace detent
