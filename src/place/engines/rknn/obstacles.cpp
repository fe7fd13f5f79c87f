// Notes name what the compiler refuses and what the NPU does not run.
//
//   x: float[N,3,224,224]     If, Loop, Scan     Resize of a volume     notes
//
// * Decides: no pair. The plan's notes name graph inputs with open extents, nodes that hold graphs, and those over
//   three axes that end the compiler: pooling, Resize, and a Conv with groups. A MaxPool of known sizes has a form that
//   builds.
// * Why: the compiler builds for fixed shapes and takes no control flow. It ends at nodes over three axes without a
//   reason ("vector::_M_range_check"), or at a Reshape that it wrote itself, of the float model, too.
// * Change it: fix the extents and export without control flow; cut the model in front of what is not built.
// * Source: rknn-toolkit2 2.5.0, asked in November 2026.

#include <algorithm>

#include "place/engines/qnn/qnn_units.h"
#include "place/engines/rknn/rules.h"

namespace detent::rules::rknn {
namespace {

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

void name_obstacles(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (holds_graphs(node))
      draft.note(facts.describe(node.id) + " holds a graph, which rknn-toolkit2 does not build");
    else if (ends_on_volumes(facts, node))
      draft.note(facts.describe(node.id) + " works over three axes, which rknn-toolkit2 does not build");
  }
  for (const ValueId input : facts.graph().inputs()) {
    const Value& value = facts.value(input);
    if (!value.declared_shape || std::ranges::find(*value.declared_shape, -1) == value.declared_shape->end()) continue;
    draft.note("graph input '" + value.name + "' has an open extent: rknn-toolkit2 builds for fixed shapes only");
  }
}

}  // namespace

constinit const Rule kObstacles{.name = {"K3", "NPU obstacle"}, .share = name_obstacles};

}  // namespace detent::rules::rknn
