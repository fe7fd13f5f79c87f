// Notes name what the compiler refuses and what the NPU does not run.
//
//   x: float[N,3,224,224]     If, Loop, Scan     Resize of a volume     notes
//
// * Decides: no pair. The plan's notes name graph inputs with open extents, nodes that hold graphs, and those over
//   three axes that end the compiler: pooling, Resize, and a Conv with groups; a MaxPool of known sizes has a form that
//   builds. Convs with strides of 32, 64 and so on end it, too; those with 8, 10, 12, 14, 16, 20, 24 and 28 run in
//   FP16.
// * Why: the compiler builds for fixed shapes and takes no control flow. It ends at nodes over three axes without a
//   reason ("vector::_M_range_check"), or at a Reshape that it wrote itself, of the float model, too. It takes strides
//   in two or three steps and loses scales between, in the latter also the value (KeyError 'x_conv_conv').
// * Change it: fix the extents and export without control flow; cut the model in front of what is not built.
// * Source: rknn-toolkit2 2.5.0, asked in November 2026.

#include <algorithm>

#include "place/engines/rknn/npu_nodes.h"
#include "place/engines/rknn/rules.h"

namespace detent::rules::rknn {
namespace {

void name_obstacles(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    const std::string obstacle = build_obstacle(facts, node);
    if (!obstacle.empty())
      draft.note(facts.describe(node.id) + " " + obstacle + ", which rknn-toolkit2 does not build");
    const std::string half = half_obstacle(facts, node);
    if (!half.empty()) draft.note(facts.describe(node.id) + " " + half);
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
