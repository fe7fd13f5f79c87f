// Notes name what the compiler refuses and what the NPU does not run.
//
//   x: float[N,3,224,224]     If, Loop, Scan     LSTM     notes
//
// * Decides: no pair. The plan's notes name graph inputs with open extents and nodes that hold graphs.
// * Why: the compiler builds for fixed shapes and takes no control flow.
// * Change it: fix the extents and export without control flow.
// * Source: rknn-toolkit2 2.5.0, asked in November 2026.

#include <algorithm>

#include "place/engines/qnn/qnn_units.h"
#include "place/engines/rknn/rules.h"

namespace detent::rules::rknn {
namespace {

void name_obstacles(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    if (holds_graphs(node)) draft.note(facts.describe(node.id) + " holds a graph, which rknn-toolkit2 does not build");
  for (const ValueId input : facts.graph().inputs()) {
    const Value& value = facts.value(input);
    if (!value.declared_shape || std::ranges::find(*value.declared_shape, -1) == value.declared_shape->end()) continue;
    draft.note("graph input '" + value.name + "' has an open extent: rknn-toolkit2 builds for fixed shapes only");
  }
}

}  // namespace

constinit const Rule kObstacles{.name = {"K3", "NPU obstacle"}, .share = name_obstacles};

}  // namespace detent::rules::rknn
